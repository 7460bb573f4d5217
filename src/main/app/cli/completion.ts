import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/** Returns a script that completes commands and their options. The shell loads it with `source` or `Invoke-Expression`. */
export function completionScript(shell: Shell, program: Command): string {
  const name = program.name()
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description().replaceAll(/["'`$\\\n]/g, ' '),
    words: [...command.commands.map((one) => one.name()), ...command.options.flatMap(({ long }) => long ?? [])],
  }))
  const all = commands.map((command) => command.name).join(' ')
  if (shell === 'fish')
    return commands
      .flatMap((command) => [
        `complete -c ${name} -n __fish_use_subcommand -f -a ${command.name} -d "${command.description}"`,
        ...command.words.map((word) => {
          const condition = `"__fish_seen_subcommand_from ${command.name}"`
          return `complete -c ${name} -n ${condition} ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`
        }),
      ])
      .join('\n')
  if (shell === 'powershell')
    return `Register-ArgumentCompleter -Native -CommandName ${name} -ScriptBlock {
  param($word, $line, $position)
  $words = @{ ${commands.map((command) => `'${command.name}' = '${command.words.join(' ')}'`).join('; ')} }
  $parts = $line.CommandElements | ForEach-Object { $_.ToString() }
  $isFirst = $parts.Count -lt 2 -or ($parts.Count -eq 2 -and $word -ne '')
  $offered = if ($isFirst) { '${all}' } else { $words[$parts[1]] }
  ($offered -split ' ') | Where-Object { $_ -like "$word*" }
}`
  const cases = commands.map((command) => `    ${command.name}) words="${command.words.join(' ')}" ;;`)
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_${name}() {
  local words word="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${all}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${name} ${name}`
}
