import { t } from 'i18next'
import { commands } from '#shared/chat/commands.ts'
import { ResultRow } from '../../search/results.tsx'
import type { Completion } from './completion.ts'

interface CompletionMenuProps {
  readonly agent: string
  readonly items: readonly Completion[]
  readonly selected: number
  readonly onChoose: (item: Completion) => void
}

/** Lists the completions. The composer keeps the focus and moves the selection. */
export function CompletionMenu({ agent, items, selected, onChoose }: CompletionMenuProps) {
  if (items.length === 0) return null
  return (
    <ul
      role="listbox"
      aria-label={t(items[0]?.kind === 'command' ? 'palette.commands' : 'palette.files')}
      id="completions"
      className="mb-2 rounded-md border border-line bg-raised p-1 shadow-float"
    >
      {items.map((item, index) => (
        <li
          key={item.label}
          role="option"
          id={`completion-${index}`}
          aria-selected={index === selected}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(item)
          }}
          className="flex min-h-7 items-center gap-3 rounded-sm px-2 aria-selected:bg-selected"
        >
          {item.note ? (
            <ResultRow agent={agent} candidate={item.note} />
          ) : item.kind === 'command' ? (
            <CommandRow name={item.label} />
          ) : (
            <FileRow path={item.label} />
          )}
        </li>
      ))}
    </ul>
  )
}

function CommandRow({ name }: { name: string }) {
  const command = commands.find((candidate) => candidate.name === name)
  if (!command) return null
  return (
    <>
      <span className="font-mono text-[12px]">
        /{name} {command.argument && <span className="text-muted">{t(`command.argument.${command.argument}`)}</span>}
      </span>
      <span className="min-w-0 flex-1 truncate text-right text-[12px] text-muted">
        {t(`command.about.${command.name}`)}
      </span>
    </>
  )
}

function FileRow({ path }: { path: string }) {
  const nameStart = path.lastIndexOf('/') + 1
  return (
    <span className="truncate font-mono text-[12px]">
      <span className="text-muted">{path.slice(0, nameStart)}</span>
      {path.slice(nameStart)}
    </span>
  )
}
