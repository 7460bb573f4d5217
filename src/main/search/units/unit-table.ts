/** The data of one unit that ranking reads. */
export interface UnitRow {
  readonly id: number
  readonly file: number
  readonly section: number
  /** Number of distinct terms. */
  readonly length: number
  /** Characters of the text, with white space collapsed. */
  readonly characters: number
  readonly flags: number
  /** Speaker label; empty if the unit has none. */
  readonly label: string
}

interface Section {
  length: number
  units: number
}

/**
 * The searched units in memory, without their texts: about 30 bytes each. Ids are those of the index; id 0 is never
 * used and stands for "none".
 */
export class UnitTable {
  #file = new Int32Array(1024)
  #section = new Int32Array(1024)
  #previous = new Int32Array(1024)
  #next = new Int32Array(1024)
  #length = new Uint16Array(1024)
  #characters = new Uint16Array(1024)
  #flags = new Uint16Array(1024)
  #label = new Uint16Array(1024)
  readonly #files = new Map<number, readonly number[]>()
  readonly #sections = new Map<number, Section>()
  readonly #labels = new Map<string, number>()
  readonly #labelCounts: number[] = [0]
  #units = 0
  #totalLength = 0

  get units(): number {
    return this.#units
  }

  get sections(): number {
    return this.#sections.size
  }

  /** Mean number of terms of a unit, at least 1. */
  get meanLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.#units))
  }

  get meanSectionLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.#sections.size))
  }

  /** Replaces the units of a file. @param rows in the order of the file; empty if the file was removed */
  setFile(file: number, rows: readonly UnitRow[]): void {
    this.#removeFile(file)
    for (const [at, row] of rows.entries()) {
      this.#reserve(row.id)
      const { id } = row
      this.#file[id] = file
      this.#section[id] = row.section
      this.#previous[id] = rows[at - 1]?.id ?? 0
      this.#next[id] = rows[at + 1]?.id ?? 0
      this.#length[id] = row.length
      this.#characters[id] = row.characters
      this.#flags[id] = row.flags
      this.#label[id] = this.#labelNumber(row.label)
      this.#count(id, 1)
    }
    if (rows.length > 0)
      this.#files.set(
        file,
        rows.map(({ id }) => id),
      )
  }

  /** Returns all ids, in the order of files. */
  *ids(): Generator<number> {
    for (const ids of this.#files.values()) yield* ids
  }

  has(id: number): boolean {
    return id < this.#file.length && this.#file[id] !== 0
  }

  fileOf(id: number): number {
    return this.#file[id] as number
  }

  sectionOf(id: number): number {
    return this.#section[id] as number
  }

  /** Returns the unit at a distance within the file; 0 if there is none. */
  neighbour(id: number, distance: number): number {
    let at = id
    for (let step = 0; step < Math.abs(distance) && at !== 0; step += 1)
      at = (distance < 0 ? this.#previous[at] : this.#next[at]) as number
    return at
  }

  /** Returns the unit at a distance within the section; 0 if there is none. */
  sectionNeighbour(id: number, distance: number): number {
    const other = this.neighbour(id, distance)
    return other !== 0 && this.#section[other] === this.#section[id] ? other : 0
  }

  lengthOf(id: number): number {
    return this.#length[id] as number
  }

  charactersOf(id: number): number {
    return this.#characters[id] as number
  }

  flagsOf(id: number): number {
    return this.#flags[id] as number
  }

  /** Number of the unit's speaker label; 0 if it has none. */
  labelOf(id: number): number {
    return this.#label[id] as number
  }

  /** Labels of the units in the table, with their numbers. */
  labels(): [label: string, number: number][] {
    return [...this.#labels].filter(([, number]) => (this.#labelCounts[number] ?? 0) > 0)
  }

  sectionLength(section: number): number {
    return this.#sections.get(section)?.length ?? 0
  }

  #removeFile(file: number): void {
    for (const id of this.#files.get(file) ?? []) {
      this.#count(id, -1)
      this.#file[id] = 0
    }
    this.#files.delete(file)
  }

  /** @param sign 1 to add the unit to the statistics, -1 to remove it */
  #count(id: number, sign: 1 | -1): void {
    const key = this.sectionOf(id)
    const section = this.#sections.get(key) ?? { length: 0, units: 0 }
    section.length += sign * this.lengthOf(id)
    section.units += sign
    if (section.units > 0) this.#sections.set(key, section)
    else this.#sections.delete(key)
    this.#units += sign
    this.#totalLength += sign * this.lengthOf(id)
    const label = this.labelOf(id)
    this.#labelCounts[label] = (this.#labelCounts[label] ?? 0) + sign
  }

  #labelNumber(label: string): number {
    if (label === '') return 0
    const known = this.#labels.get(label)
    if (known !== undefined) return known
    const number = this.#labels.size + 1
    this.#labels.set(label, number)
    return number
  }

  #reserve(id: number): void {
    if (id < this.#file.length) return
    const size = Math.max(id + 1, 2 * this.#file.length)
    const grow = <T extends Int32Array | Uint16Array>(old: T, larger: T): T => {
      larger.set(old)
      return larger
    }
    this.#file = grow(this.#file, new Int32Array(size))
    this.#section = grow(this.#section, new Int32Array(size))
    this.#previous = grow(this.#previous, new Int32Array(size))
    this.#next = grow(this.#next, new Int32Array(size))
    this.#length = grow(this.#length, new Uint16Array(size))
    this.#characters = grow(this.#characters, new Uint16Array(size))
    this.#flags = grow(this.#flags, new Uint16Array(size))
    this.#label = grow(this.#label, new Uint16Array(size))
  }
}
