import { powerMonitor } from 'electron'

/** Calls `onChange` at each switch of the power source, and at once on battery. @returns unsubscribes */
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
