/** Returns the values without `value` if they contain it, else with `value` at the end. */
export function toggled<T>(values: Iterable<T>, value: T): ReadonlySet<T> {
  const result = new Set(values)
  if (!result.delete(value)) result.add(value)
  return result
}
