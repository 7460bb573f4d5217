import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ImportPlan, ConfigChange, ForeignSettings, LeftFile } from '#shared/contract/index.ts'
import { api, queryClient, client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { Checkbox, Button, ErrorText, Form, TextInput } from '#lib/ui/elements.tsx'
import { download } from '#lib/util/download.ts'
import { formatBytes, formatMoment } from '#lib/i18n/format.ts'
import { longUndoToastMs, showSuccess } from '#lib/feedback/toast.ts'
import { toast } from 'sonner'

export function ImportSettings() {
  const { id: agent } = useAgent()
  const [task, setTask] = useState({ path: '', into: 'memory/imports', withAttachments: true })
  const memories = useQuery(api.import.known.queryOptions())
  // The old plan stays visible while a new one loads, but not for other fields.
  const [shown, setShown] = useState<{ plan: ImportPlan; task: PlanProps['task'] }>()
  const isShown = shown?.task.path === task.path && shown.task.into === task.into
  const plan = useMutation(
    api.import.plan.mutationOptions({
      meta: { handlesError: true },
      onSuccess: (result, planned) => setShown({ plan: result, task: planned }),
      onError: () => setShown(undefined),
    }),
  )
  const clearPlan = () => {
    setShown(undefined)
    plan.reset()
  }
  const preview = (change: Partial<typeof task> = {}) => {
    setTask({ ...task, ...change })
    plan.mutate({ agent: agent, ...task, ...change })
  }
  return (
    <>
      {memories.data && memories.data.length > 0 && (
        <section aria-label={t('import.found')} className="flex flex-col gap-1">
          <h3 className="font-medium">{t('import.found')}</h3>
          {memories.data.map((memory) => (
            <p key={memory.path} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="w-40">{t(`import.kind.${memory.kind}`)}</span>
              <span className="min-w-0 flex-[1_1_200px] font-mono text-[12px] break-all text-muted">{memory.path}</span>
              <span className="tabular text-muted">{t('nav.files', { count: memory.files })}</span>
              <Button onClick={() => preview({ path: memory.path })}>{t('import.look')}</Button>
            </p>
          ))}
        </section>
      )}
      <FoundSettings />
      <Form onSubmit={() => preview()} className="flex flex-col gap-2">
        {(['path', 'into'] as const).map((name) => (
          <label key={name} className="flex flex-col gap-1">
            {t(name === 'path' ? 'import.source' : 'import.into')}
            <TextInput
              value={task[name]}
              spellCheck={false}
              onChange={(text) => {
                setTask({ ...task, [name]: text })
                clearPlan()
              }}
              className="px-2.5 py-1.5 font-mono text-[12px]"
            />
            {name === 'path' && <span className="text-[12px] text-muted">{t('import.sourceHint')}</span>}
          </label>
        ))}
        <Button type="submit" className="self-start" disabled={task.path.trim() === '' || plan.isPending}>
          {t(plan.isPending ? 'import.looking' : 'import.look')}
        </Button>
      </Form>
      <ErrorText error={plan.error} />
      {shown && isShown && (
        <ImportPlanView
          task={{ agent, ...task }}
          plan={shown.plan}
          onAttachments={(withAttachments) => preview({ withAttachments })}
          onDone={clearPlan}
        />
      )}
      <PastImports />
      <Export />
    </>
  )
}

function FoundSettings() {
  const foreign = useQuery(api.import.settings.queryOptions({ input: {} }))
  const [choice, setChoice] = useState<SettingsChoice>(new Map())
  const takeOver = useMutation({
    mutationFn: () => takeOverSettings(choice),
    onSettled: () => {
      setChoice(new Map())
      return queryClient.invalidateQueries()
    },
  })
  if (!foreign.data || foreign.data.length === 0) return null
  return (
    <section aria-label={t('import.settingsFound')} className="flex flex-col gap-2">
      <h3 className="font-medium">{t('import.settingsFound')}</h3>
      {foreign.data.map((source) => (
        <ForeignSettingsChoice key={source.file} settings={source} choice={choice} onChoose={setChoice} />
      ))}
      <Button
        className="self-start"
        disabled={choice.size === 0 || takeOver.isPending}
        onClick={() => takeOver.mutate()}
      >
        {t('onboarding.takeOver')}
      </Button>
    </section>
  )
}

function Export() {
  const agent = useAgent()
  const [withHistory, setWithHistory] = useState(false)
  const save = (zip: Blob) => download(`${agent.name}.zip`, zip)
  const pack = useMutation(api.import.pack.mutationOptions({ onSuccess: save }))
  return (
    <div className="flex flex-col items-start gap-1 border-t border-line pt-4">
      <Button disabled={pack.isPending} onClick={() => pack.mutate({ agent: agent.id, withHistory })}>
        {t(pack.isPending ? 'import.exporting' : 'import.export')}
      </Button>
      <Checkbox checked={withHistory} onChange={() => setWithHistory(!withHistory)}>
        {t('import.exportHistory')}
      </Checkbox>
      <p className="text-[12px] text-muted">{t('import.exportHint', { workspace: agent.workspace })}</p>
    </div>
  )
}

interface PlanProps {
  readonly task: Parameters<typeof client.import.start>[0]
  readonly plan: ImportPlan
  readonly onAttachments: (withAttachments: boolean) => void
  readonly onDone: () => void
}

function ImportPlanView({ task, plan, onAttachments, onDone }: PlanProps) {
  const { kind, added, conflicts, attachments, names } = plan
  const total = added + conflicts + attachments.added + attachments.conflicts
  const start = useMutation(
    api.import.start.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries({ queryKey: api.import.standing.key() })
        onDone()
      },
    }),
  )
  const hasChoice = attachments.added + attachments.conflicts > 0 || !task.withAttachments
  return (
    <section className="flex flex-col gap-2 rounded-md border border-line px-4 py-3" data-testid="import-plan">
      <Facts plan={plan} />
      {hasChoice && (
        <Checkbox checked={task.withAttachments === true} disabled={start.isPending} onChange={onAttachments}>
          {t('import.withAttachments')}
        </Checkbox>
      )}
      <p className="max-h-48 overflow-y-auto font-mono text-[12px] break-words whitespace-pre-line text-muted">
        {names.join('\n')}
      </p>
      {kind === 'markdown' && added + conflicts > 0 && <p className="text-muted">{t('import.marked')}</p>}
      <Details
        title={t('import.renamed', { count: plan.renamed.count })}
        lines={plan.renamed.examples.map(({ from, to }) => `${from} → ${to}`)}
      />
      {plan.renamed.examples.some(({ to }) => isRenamedInstruction(to)) && <p>{t('import.instructions')}</p>}
      <ChangedLinks existing={plan.existing} />
      <Details
        title={t('import.left', { count: plan.left.reduce((sum, { count }) => sum + count, 0) })}
        lines={plan.left.map(({ reason, ending, count, names: examples }) => {
          const kindOfFile = ending === '' ? t('import.noEnding') : `.${ending}`
          const line = t('import.leftLine', { count, kind: kindOfFile, reason: t(`import.leftReason.${reason}`) })
          return `${line}\n${examples.join(' · ')}`
        })}
      />
      <Details
        title={t('import.decoded', { count: plan.decoded.length })}
        lines={plan.decoded.map(({ path, encoding }) => `${path} (${encoding})`)}
      />
      <Details
        title={t('import.leftParts')}
        lines={plan.leftParts.map(({ reason, count }) => t(`import.leftPart.${reason}`, { count }))}
      />
      <Button
        look="primary"
        className="self-start"
        disabled={total === 0 || start.isPending}
        onClick={() => start.mutate(task)}
      >
        {t('import.start')}
      </Button>
    </section>
  )
}

const factNames = ['same', 'conflicts', 'skipped', 'memories', 'links', 'lost'] as const

function Facts({ plan }: { plan: ImportPlan }) {
  const { kind, same, conflicts, skipped, memories, attachments, links, lost } = plan
  const factsOf = (counts: Partial<Record<(typeof factNames)[number], number>>) =>
    factNames.flatMap((name) => (counts[name] ? [t(`import.${name}`, { count: counts[name] })] : []))
  const notes = [t('import.plan', { count: plan.added }), ...factsOf({ same, conflicts, skipped, memories })]
  const added = t('import.attachments', { count: attachments.added, size: formatBytes(attachments.bytes) })
  const hasAttachments = attachments.added + attachments.same + attachments.conflicts > 0
  return (
    <>
      <p>
        <strong>{t('common.pair', { name: t(`import.kind.${kind}`), value: '' })}</strong>
        {notes.join(' · ')}
      </p>
      {hasAttachments && <p>{[added, ...factsOf(attachments)].join(' · ')}</p>}
      <p className="empty:hidden">{factsOf({ links, lost }).join(' · ')}</p>
    </>
  )
}

interface DetailsProps {
  readonly title: string
  readonly className?: string
  readonly lines: readonly string[]
}

function Details({ title, className = 'text-muted', lines }: DetailsProps) {
  if (lines.length === 0) return null
  return (
    <details className={className}>
      <summary className="cursor-pointer">{title}</summary>
      <ul className="mt-1 max-h-48 overflow-y-auto pl-4 font-mono text-[12px] break-all whitespace-pre-line text-muted">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
}

function ChangedLinks({ existing }: Pick<ImportPlan, 'existing'>) {
  const changed = (['elsewhere', 'shared', 'found'] as const).filter((kind) => existing[kind].count > 0)
  if (changed.length === 0) return null
  return (
    <div className="flex flex-col gap-1" data-testid="changed-links">
      {changed.map((kind) => (
        <Details
          key={kind}
          title={t(`import.existing.${kind}`, { count: existing[kind].count })}
          className={kind === 'elsewhere' ? 'text-warning' : ''}
          lines={existing[kind].examples.map(({ path, line, target, from, to }) => {
            const place = from === null || from === to ? to : `${to} (${from})`
            return `${path}:${line} · ${target} → ${place}`
          })}
        />
      ))}
    </div>
  )
}

export type SettingsChoice = ReadonlyMap<string, ReadonlySet<string>>

interface ForeignSettingsProps {
  readonly settings: ForeignSettings
  readonly choice: SettingsChoice
  readonly onChoose: (choice: SettingsChoice) => void
}

export function ForeignSettingsChoice({ settings: { file, taken, left }, choice, onChoose }: ForeignSettingsProps) {
  const isChosen = choice.has(file)
  const keys = choice.get(file) ?? new Set<string>()
  const choose = (chosen: ReadonlySet<string>) => onChoose(new Map([...choice, [file, chosen]]))
  // The settings of a new agent need the agent.
  const isPossible = (to: string) => !taken.some((other) => to.startsWith(`${other.to}.`) && !keys.has(other.from))
  const isTicked = ({ from, to }: { from: string; to: string }) => keys.has(from) && isPossible(to)
  const tickedCount = keysOf(taken.filter(isTicked)).size
  return (
    <div data-testid="foreign-settings" className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
      <Checkbox
        checked={isChosen}
        disabled={taken.length === 0}
        onChange={() =>
          isChosen
            ? onChoose(new Map([...choice].filter(([other]) => other !== file)))
            : choose(keysOf(taken.filter(({ doubts }) => doubts.length === 0)))
        }
      >
        <span className="block">{t('onboarding.takeOver')}</span>
        <span className="block font-mono text-[12px] break-all text-muted">{file}</span>
      </Checkbox>
      <details open={taken.length === 0} className="text-[12px]">
        <summary className="cursor-pointer text-muted">
          {t('onboarding.takeOverCounts', { ticked: tickedCount, all: keysOf(taken).size, left: left.length })}
        </summary>
        <div className="mt-2 flex max-h-72 flex-col gap-3 overflow-auto">
          <List title={t('onboarding.taken')}>
            {[...Map.groupBy(taken, ({ group }) => group)].map(([group, entries]) => (
              <li key={group} className="border-b border-soft py-1">
                <Checkbox
                  checked={entries.every(isTicked)}
                  disabled={!isPossible(group)}
                  onChange={() =>
                    choose(entries.every(isTicked) ? keys.difference(keysOf(entries)) : keys.union(keysOf(entries)))
                  }
                >
                  {entries.map(({ from, was, to, value, newAgent: agent }) => (
                    <Line
                      key={`${from}/${to}`}
                      name={`${from}: ${was}`}
                      detail={`→ ${agent === undefined ? `${to}: ${value}` : t('onboarding.newAgent', { agent, folder: was })}`}
                    />
                  ))}
                  {entries[0]?.doubts.map((doubt) => (
                    <span key={doubt} className="block text-warning">
                      {t(`onboarding.leftReason.${doubt}`, { value: entries.flatMap((e) => e.replaces ?? []) })}
                    </span>
                  ))}
                </Checkbox>
              </li>
            ))}
          </List>
          <List title={t('onboarding.left')}>
            {left.map(({ from, reason }) => (
              <li key={`${from}/${reason}`}>
                <Line name={from} detail={t(`onboarding.leftReason.${reason}`)} />
              </li>
            ))}
          </List>
        </div>
      </details>
    </div>
  )
}

export async function takeOverSettings(choice: SettingsChoice): Promise<void> {
  const toast = { id: 'settings-taken-over', duration: longUndoToastMs }
  let [count, first]: [number, ConfigChange | undefined] = [0, undefined]
  for (const [file, keys] of choice) {
    const { taken, change } = await client.import.takeOver({ file, keys: [...keys] })
    count += keysOf(taken).size
    first ??= change
    const whole = { before: first.before, after: change.after }
    showSuccess(t('onboarding.tookOver', { taken: count }), () => client.settings.undo(whole), toast)
  }
}

/** Returns the keys in the file: one key can become several settings. */
function keysOf(entries: ForeignSettings['taken']): ReadonlySet<string> {
  return new Set(entries.map(({ from }) => from))
}

function List({ title, children }: { title: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul>{children}</ul>
    </section>
  )
}

function Line({ name, detail }: { name: string; detail: string }) {
  return (
    <span className="flex flex-wrap gap-x-2 py-0.5">
      <span className="font-mono break-all">{name}</span>
      <span className="break-all text-muted">{detail}</span>
    </span>
  )
}

/** Returns true for the imported copy of a file that agents follow, such as `CLAUDE (imported).md`. */
export function isRenamedInstruction(path: string): boolean {
  return / \(imported\)( \d+)?\.[^./]+$/.test(path)
}

export function showImportUndone({ notes, left }: { notes: number; left: readonly LeftFile[] }): void {
  void refetchImports()
  toast(t('import.undone', { count: notes }))
  const description = left.map(({ path }) => path).join(', ')
  if (left.length > 0) toast.warning(t('import.undoLeft', { count: left.length }), { description })
}

export const refetchImports = () => queryClient.invalidateQueries({ queryKey: api.import.past.key() })

function PastImports() {
  const { id: agent } = useAgent()
  const imports = useQuery(api.import.past.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation(api.history.revert.mutationOptions({ onSuccess: showImportUndone }))
  if (!imports.data || imports.data.length === 0) return null
  return (
    <section aria-label={t('import.past')} className="flex flex-col gap-1 border-t border-line pt-4">
      <h3 className="font-medium">{t('import.past')}</h3>
      <ul className="flex flex-col">
        {imports.data.map(({ change, path, at, files, left }) => (
          <li key={change} className="border-b border-soft py-1.5">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 flex-[1_1_200px] font-mono text-[12px] break-all">{path}</span>
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="tabular text-[12px] text-muted">{t('nav.files', { count: files })}</span>
                <span className="text-[12px] text-muted">{formatMoment(at)}</span>
                <Button look="link" disabled={undo.isPending} onClick={() => undo.mutate({ agent, change })}>
                  {t('import.undo')}
                  <span className="sr-only">: {path}</span>
                </Button>
              </span>
            </div>
            <Details title={t('import.undoLeft', { count: left.length })} lines={left} />
          </li>
        ))}
      </ul>
    </section>
  )
}
