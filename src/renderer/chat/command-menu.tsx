import { useTranslation } from 'react-i18next'
import { commands, type CommandName } from '../../shared/commands.ts'

/** The commands that what was typed so far can become. */
export function matchingCommands(draft: string): readonly (typeof commands)[number][] {
  const typed = /^\/([a-z]*)$/.exec(draft)?.[1]
  return typed === undefined ? [] : commands.filter(({ name }) => name.startsWith(typed))
}

interface CommandMenuProps {
  readonly draft: string
  readonly selected: number
  readonly onChoose: (name: CommandName) => void
}

/** Completes `/…` in the composer; the composer moves the selection, for the keyboard stays there. */
export function CommandMenu({ draft, selected, onChoose }: CommandMenuProps) {
  const { t } = useTranslation()
  const matches = matchingCommands(draft)
  if (matches.length === 0) return null
  return (
    <ul
      role="listbox"
      aria-label={t('palette.commands')}
      id="commands"
      className="mb-2 rounded-md border border-line bg-raised p-1 shadow-float"
    >
      {matches.map(({ name, argument }, index) => (
        <li
          key={name}
          role="option"
          id={`command-${name}`}
          aria-selected={index === selected}
          onMouseDown={(event) => {
            event.preventDefault()
            onChoose(name)
          }}
          className="flex min-h-7 items-center gap-3 rounded-sm px-2 aria-selected:bg-selected"
        >
          <span className="font-mono text-[12px]">
            /{name} {argument && <span className="text-muted">{t(`command.argument.${argument}`)}</span>}
          </span>
          <span className="min-w-0 flex-1 truncate text-right text-[12px] text-muted">
            {t(`command.about.${name}`)}
          </span>
        </li>
      ))}
    </ul>
  )
}
