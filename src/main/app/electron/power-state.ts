import { powerMonitor } from 'electron'

/** Calls `onChange` if the power source changes, and at once on battery. @returns a function that unsubscribes */
export function followPower(onChange: (isSaving: boolean) => void): () => void {
  const save = () => onChange(true)
  const resume = () => onChange(false)
  powerMonitor.on('on-battery', save)
  powerMonitor.on('on-ac', resume)
  if (powerMonitor.isOnBatteryPower()) save()
  return () => {
    powerMonitor.off('on-battery', save)
    powerMonitor.off('on-ac', resume)
  }
}
