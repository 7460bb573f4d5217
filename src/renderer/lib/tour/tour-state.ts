/** Set while the hints of the first start are due. They are shown once. */
const storageKey = 'commonplace.tour'

export function planTour(): void {
  localStorage.setItem(storageKey, 'due')
}

export function isTourDue(): boolean {
  return localStorage.getItem(storageKey) === 'due'
}

export function endTour(): void {
  localStorage.removeItem(storageKey)
}
