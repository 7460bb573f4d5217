/** Servers and models that refused a request because of its tools. Apart from the client library, which loads slowly. */
const refusals = new Set<string>()

const keyOf = (baseUrl: string, model: string) => `${baseUrl.replace(/\/+$/, '')} ${model}`

export function recordRefusedTools(baseUrl: string, model: string): void {
  refusals.add(keyOf(baseUrl, model))
}

export function hasRefusedTools(baseUrl: string, model: string): boolean {
  return refusals.has(keyOf(baseUrl, model))
}
