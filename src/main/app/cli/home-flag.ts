/** Returns the state folder of `--home`. It is needed before the arguments are parsed. */
export function homeFlag(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((arg) => arg === '--home' || arg.startsWith('--home='))
  return argv[index] === '--home' ? argv[index + 1] : argv[index]?.slice('--home='.length)
}
