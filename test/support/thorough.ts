/** How often what is random is tried: a few times in every run, many times with `THOROUGH=1`. */
export function rounds(usual: number, thorough: number): number {
  return process.env['THOROUGH'] ? thorough : usual
}
