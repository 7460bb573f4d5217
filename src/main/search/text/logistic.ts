export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}

/** Returns the logistic of a weighted sum of properties. */
export function probabilityOf<T extends object>(
  constant: number,
  weights: { readonly [K in keyof T]: number },
  properties: T,
): number {
  const names = Object.keys(weights) as (keyof T)[]
  return logistic(names.reduce((sum, name) => sum + weights[name] * Number(properties[name]), constant))
}
