import type { ForeignSettings } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
import { parseConfig } from '#platform'

export type Path = readonly (string | number)[]
type Reason = ForeignSettings['left'][number]['reason']

export interface MigrationReport extends Pick<ForeignSettings, 'taken' | 'left'> {
  readonly changes: readonly (readonly [path: Path, value: unknown])[]
}

export interface Counterpart {
  /** Key path in the settings of an agent of this app. */
  readonly to: string
  /** Converts the value; undefined means that it has no counterpart. */
  readonly value?: (value: unknown) => unknown
}

/** The settings below this key are valid only together. */
const jointGroup = 'memory.search.weights'
/** Has an effect only with weights: the ranking model has its own threshold. */
const weightedThreshold = 'memory.search.minScore'
export const secretKeyPattern = /(^|\.)(api_?key|token|secret|password|auth|headers)(\.|$)/i

interface Change {
  readonly from: string
  readonly path: Path
  readonly value: unknown
  readonly displayValue: string
}

export class SettingsMigration {
  readonly #changes: Change[] = []
  readonly #skipped: { from: string; reason: Reason }[] = []

  /** Adds a change. @param from foreign key @param path key path in the app @param displayValue value for the report */
  take(
    from: string,
    path: Path,
    value: unknown,
    displayValue = typeof value === 'string' ? value : JSON.stringify(value),
  ): void {
    this.#changes.push({ from, path, value, displayValue })
  }

  skip(from: string, reason: Reason): void {
    this.#skipped.push({ from, reason })
  }

  /** Takes or skips each setting, also in nested objects. @param handledKeys keys that the caller handles */
  takeAll(
    values: Readonly<Record<string, unknown>>,
    counterparts: Readonly<Record<string, Counterpart>>,
    prefix: string,
    targetPath: Path,
    handledKeys: readonly string[],
  ): void {
    const walk = (value: unknown, key: string): void => {
      const from = [prefix, key].filter(Boolean).join('.')
      if (handledKeys.includes(key)) return
      const counterpart = counterparts[key]
      if (counterpart && !isRecord(value)) {
        const converted = counterpart.value ? counterpart.value(value) : value
        if (converted === undefined) this.skip(from, 'noCounterpart')
        else this.take(from, [...targetPath, ...counterpart.to.split('.')], converted)
        return
      }
      // Lists the settings in an object with known keys and in `remote`; skips any other object as a whole.
      const hasKnownKeys = Object.keys(counterparts).some((knownKey) => knownKey.startsWith(`${key}.`))
      if (isRecord(value) && (hasKnownKeys || key.endsWith('.remote')))
        for (const [innerKey, innerValue] of Object.entries(value)) walk(innerValue, `${key}.${innerKey}`)
      else this.skip(from, secretKeyPattern.test(from) ? 'secret' : 'noCounterpart')
    }
    for (const [key, value] of Object.entries(values)) walk(value, key)
  }

  /** Validates each change separately, so that an invalid one does not block the others. */
  createReport(): MigrationReport {
    const groups = Map.groupBy(this.#changes, (change) => {
      const path = change.path.join('.')
      const start = path.indexOf(`${jointGroup}.`)
      return start < 0 ? path : path.slice(0, start + jointGroup.length)
    })
    const valid = [...groups.values()].filter((group) => {
      const isValid = isValidConfig(group)
      if (!isValid) for (const { from } of group) this.skip(from, 'invalid')
      return isValid
    })
    const hasWeights = valid.some(([first]) => first?.path.join('.').includes(jointGroup))
    const changes = valid.flat().filter(({ from, path }) => {
      const hasEffect = hasWeights || !path.join('.').endsWith(weightedThreshold)
      if (!hasEffect) this.skip(from, 'noCounterpart')
      return hasEffect
    })
    return {
      changes: changes.map(({ path, value }) => [path, value] as const),
      taken: changes.map(({ from, path, displayValue }) => ({ from, to: path.join('.'), value: displayValue })),
      left: this.#skipped,
    }
  }
}

function isValidConfig(changes: readonly Change[]): boolean {
  const config: Record<string, unknown> = {}
  for (const { path, value } of changes) {
    // Settings of one agent are validated as defaults: they have the same schema.
    const isAgentSetting = path[0] === 'agents' && path[1] === 'list' && path.length > 4
    const steps = isAgentSetting ? ['agents', 'defaults', ...path.slice(3)] : path
    if (!isAgentSetting && path[0] === 'agents' && path[1] === 'list') continue
    let node = config
    for (const step of steps.slice(0, -1)) node = (node[String(step)] ??= {}) as Record<string, unknown>
    node[String(steps.at(-1))] = value
  }
  const parsed = parseConfig(JSON.stringify(config))
  return parsed.ok && parsed.ignoredKeys.length === 0
}
