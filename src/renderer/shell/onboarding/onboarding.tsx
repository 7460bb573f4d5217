import { t } from 'i18next'
import { keepPreviousData, skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState, useEffect } from 'react'
import type { Agent, KnownMemory } from '#shared/contract/index.ts'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { OwnFolderChoice } from '../../settings/agents.tsx'
import { api, client, queryClient } from '#lib/api/client.ts'
import { Checkbox, Button, ErrorText, Form, TextInput } from '#lib/ui/elements.tsx'
import { explainSetup } from '#lib/feedback/toast.ts'
import { currentLocale } from '#lib/i18n/index.ts'
import { ForeignSettingsChoice, takeOverSettings, type SettingsChoice } from '../../settings/import.tsx'
import { useDebounced } from '#lib/util/hooks.ts'
import { describeVault } from '#lib/notes/use-vault-settings.ts'
import { ModelCard } from '../../settings/model-card.tsx'
import { useEncodedPath } from '#lib/router/paths.ts'
import { commandKeys, formatBoundKeys } from '#lib/util/shortcuts.ts'

const debounceMs = 250

const importFolder = 'memory/imports'

export function Onboarding({ agent, suggested }: { agent: Agent; suggested: string }) {
  const [workspace, setWorkspace] = useState(suggested)
  const problemId = useId()
  const [pathsToCopy, setPathsToCopy] = useState<ReadonlySet<string>>(new Set())
  const [addsFiles, setAddsFiles] = useState(false)
  const [chosenFolder, setChosenFolder] = useState<string>()
  const [settingsChoice, setSettingsChoice] = useState<SettingsChoice>(new Map())
  const [model, setModel] = useState<string | undefined>(agent.model)
  const memories = useQuery(api.import.known.queryOptions())
  const checkedPath = useDebounced(workspace.trim(), debounceMs)
  const foreignSettings = useQuery(
    api.import.settings.queryOptions({ input: { folder: checkedPath }, placeholderData: keepPreviousData }),
  )
  const folder = useQuery(
    api.conventions.look.queryOptions({
      input: checkedPath === '' ? skipToken : { path: checkedPath },
      meta: { handlesError: true },
    }),
  )
  const existing = folder.data?.isEmpty === false ? folder.data : undefined
  // Commonplace puts its own notes into a separate folder unless the vault already has some.
  const ownFolder = existing?.own.length === 0 ? (chosenFolder ?? appFolderName) : undefined
  const start = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      // Before the workspace exists: the window that opens next reads it.
      localStorage.setItem(storageKey, 'due')
      await client.agents.setUp({
        agent: agent.id,
        workspace: workspace.trim(),
        locale: currentLocale(),
        ...(addsFiles ? { seed: true } : {}),
        ...(model === undefined || model === agent.model ? {} : { model }),
        ...(ownFolder === undefined || ownFolder === existing?.habits.own ? {} : { own: ownFolder }),
      })
      // Files beside a folder that was entered before are no longer found.
      const found = new Set(foreignSettings.data?.map(({ file }) => file))
      await takeOverSettings(new Map([...settingsChoice].filter(([file]) => found.has(file))))
      await copyMemories(agent.id, memories.data?.filter(({ path }) => pathsToCopy.has(path)) ?? [])
    },
  })
  return (
    <main className="flex h-full justify-center overflow-y-auto px-6 py-[8vh]">
      <Form onSubmit={() => start.mutate()} className="flex h-fit w-full max-w-[500px] flex-col gap-7">
        <div className="flex flex-col gap-3">
          <img src="/icon.svg" alt="" width={44} height={44} />
          <h1 className="text-[22px] leading-tight font-semibold">{t('onboarding.title')}</h1>
          <p className="text-[14px] text-muted">{t('onboarding.lead')}</p>
        </div>
        <section aria-label={t('onboarding.folder')} className="flex flex-col gap-2.5">
          <label className="flex flex-col gap-1.5">
            <span className="font-medium">{t('onboarding.folder')}</span>
            <TextInput
              value={workspace}
              aria-invalid={start.isError}
              aria-describedby={start.isError ? problemId : undefined}
              onChange={(text) => {
                setWorkspace(text)
                start.reset()
              }}
              spellCheck={false}
              required
              className="px-3 py-2 font-mono text-[12px]"
            />
            <span className="text-[12px] text-muted">{t('onboarding.folderHint')}</span>
          </label>
          {memories.data?.map(({ kind, path, files }) => (
            <div
              key={path}
              data-testid="found-memory"
              className="flex flex-wrap items-center gap-2 rounded-md border border-line px-3 py-2"
            >
              <span className="min-w-0 flex-[1_1_220px]">
                <span className="block">
                  {t(`import.kind.${kind}`)} <span className="text-muted">· {t('nav.files', { count: files })}</span>
                </span>
                <span className="block font-mono text-[12px] break-all text-muted">{path}</span>
              </span>
              <Button
                aria-pressed={workspace === path}
                onClick={() => {
                  setWorkspace(workspace === path ? suggested : path)
                  setPathsToCopy(pathsToCopy.difference(new Set([path])))
                }}
                className="aria-pressed:border-accent"
              >
                {t('onboarding.openThere')}
              </Button>
              <Button
                aria-pressed={pathsToCopy.has(path)}
                onClick={() => {
                  setPathsToCopy(pathsToCopy.symmetricDifference(new Set([path])))
                  if (workspace === path) setWorkspace(suggested)
                }}
                className="aria-pressed:border-accent"
              >
                {t('onboarding.copy')}
              </Button>
            </div>
          ))}
          {existing && <p className="text-[12px] text-muted">{describeVault(existing.habits, existing.notes)}</p>}
          {existing && existing.own.length < agentFileNames.length && (
            <Checkbox checked={addsFiles} onChange={() => setAddsFiles(!addsFiles)}>
              {t('onboarding.add')} <span className="text-muted">{t('onboarding.addHint')}</span>
            </Checkbox>
          )}
          {ownFolder !== undefined && <OwnFolderChoice folder={ownFolder} onChoose={setChosenFolder} />}
          {foreignSettings.data?.map((settings) => (
            <ForeignSettingsChoice
              key={settings.file}
              settings={settings}
              choice={settingsChoice}
              onChoose={setSettingsChoice}
            />
          ))}
        </section>
        <div className="flex flex-col gap-1.5">
          <span className="font-medium">{t('status.model')}</span>
          <ModelCard inUse={model} onSelect={setModel} />
        </div>
        <ErrorText id={problemId} error={start.error} explain={explainSetup} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button
            type="submit"
            look="primary"
            className="px-4!"
            disabled={start.isPending || model === undefined || workspace.trim() === ''}
          >
            {t(start.isPending ? 'onboarding.starting' : 'onboarding.start')}
          </Button>
          {model === undefined && (
            <span className="min-w-0 flex-1 basis-60 text-[12px] text-muted">{t('onboarding.notConnected')}</span>
          )}
        </div>
      </Form>
    </main>
  )
}

async function copyMemories(agent: string, memories: readonly KnownMemory[]): Promise<void> {
  for (const { kind, path } of memories) {
    const sameKind = memories.filter((memory) => memory.kind === kind)
    const number = sameKind.length > 1 ? `-${sameKind.findIndex((memory) => memory.path === path) + 1}` : ''
    // Attachments in other programs' folders are the programs' own images.
    const withAttachments = kind === 'openclaw'
    await client.import.start({ agent, path, into: `${importFolder}/${kind}${number}`, withAttachments })
  }
  await queryClient.invalidateQueries({ queryKey: api.import.standing.key() })
}

/** Set while the hints of the first start are due. They are shown once. */
const storageKey = 'commonplace.tour'

const hints = ['files', 'why', 'palette'] as const

/** The hints of the first start, one at a time, at the end of the sidebar. */
export function Tour({ isPaletteOpen }: { isPaletteOpen: boolean }) {
  const place = useEncodedPath()
  const [index, setIndex] = useState(() => (localStorage.getItem(storageKey) === 'due' ? 0 : hints.length))
  const hint = hints[index]
  const isHintFollowed =
    hint !== undefined &&
    { files: place.startsWith('/file/'), why: /^\/(search|inspect)/.test(place), palette: isPaletteOpen }[hint]
  if (isHintFollowed) setIndex(index + 1)
  const isOver = index >= hints.length
  useEffect(() => {
    if (isOver) localStorage.removeItem(storageKey)
  }, [isOver])
  if (!hint) return null
  return (
    <aside
      aria-label={t('tour.title')}
      data-testid="tour"
      className="m-2.5 flex flex-col gap-1.5 rounded-lg border border-line bg-raised p-3"
    >
      <p className="font-semibold">{t(`tour.${hint}.title`)}</p>
      <p className="text-muted">{t(`tour.${hint}.text`, { keys: formatBoundKeys(commandKeys.palette) })}</p>
      <p className="flex items-center gap-2 pt-1">
        <span className="tabular flex-1 text-[12px] text-muted">
          {index + 1}/{hints.length}
        </span>
        <Button look="quiet" onClick={() => setIndex(hints.length)}>
          {t('tour.skip')}
        </Button>
        <Button onClick={() => setIndex(index + 1)}>{t(index + 1 < hints.length ? 'tour.next' : 'tour.done')}</Button>
      </p>
    </aside>
  )
}
