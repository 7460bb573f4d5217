/** Token bucket: allows bursts of `capacity`, refilled over `refillMs` milliseconds. The function returns false if it is empty. */
export function tokenBucket(capacity: number, refillMs: number, now: () => number = () => performance.now()) {
  let tokens = capacity
  let refilledAt = now()
  return (): boolean => {
    const at = now()
    tokens = Math.min(capacity, tokens + ((at - refilledAt) / refillMs) * capacity)
    refilledAt = at
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}
