import { t } from 'i18next'
import type { ReactNode } from 'react'
import type { ConfigChange, ForeignSettings } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { Checkbox } from '#lib/ui/choice.tsx'
import { longUndoToastMs, showSuccess } from '#lib/feedback/toast.ts'

/** Keys to take over, by file. */
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

/** Takes over the chosen keys. Shows how many, with one undo for all files. */
export async function takeOverSettings(choice: SettingsChoice): Promise<void> {
  const toast = { id: 'settings-taken-over', durationMs: longUndoToastMs }
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
