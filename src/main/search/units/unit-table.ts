export interface UnitRow {
  readonly id: number
  readonly file: number
  readonly section: number
  readonly length: number
  readonly flags: number
  /** Speaker label; empty if the unit has none. */
  readonly label: string
}

interface TableUnit extends UnitRow {
  /** Neighbours in the file. */
  previous?: TableUnit | undefined
  next?: TableUnit | undefined
}

interface Section {
  length: number
  units: number
}

/** The searched units in memory, without their texts. Ids are those of the index; id 0 is never used: it means "none". */
export class UnitTable {
  readonly #all = new Map<number, TableUnit>()
  readonly #files = new Map<number, readonly UnitRow[]>()
  readonly #sections = new Map<number, Section>()
  readonly #labels = new Map<string, number>()
  #totalLength = 0

  get units(): number {
    return this.#all.size
  }

  get sections(): number {
    return this.#sections.size
  }

  /** Mean number of terms of a unit, at least 1. */
  get meanLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.units))
  }

  get meanSectionLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.sections))
  }

  /** Replaces the units of a file. @param rows in the order of the file; empty if the file was removed */
  setFile(file: number, rows: readonly UnitRow[]): void {
    for (const row of this.#files.get(file) ?? []) {
      this.#count(row, -1)
      this.#all.delete(row.id)
    }
    this.#files.delete(file)
    if (rows.length > 0) this.#files.set(file, rows)
    let previous: TableUnit | undefined
    for (const row of rows) {
      const unit: TableUnit = { ...row, previous, next: undefined }
      if (previous) previous.next = unit
      previous = unit
      this.#count(row, 1)
      this.#all.set(row.id, unit)
    }
  }

  *ids(): Generator<number> {
    for (const rows of this.#files.values()) for (const { id } of rows) yield id
  }

  has(id: number): boolean {
    return this.#all.has(id)
  }

  fileOf(id: number): number {
    return this.#all.get(id)?.file ?? 0
  }

  sectionOf(id: number): number {
    return this.#all.get(id)?.section ?? 0
  }

  /** Returns the unit at a distance within the file; 0 if there is none. */
  neighbour(id: number, distance: number): number {
    return this.#at(id, distance)?.id ?? 0
  }

  /** Returns the unit at a distance within the section; 0 if there is none. */
  sectionNeighbour(id: number, distance: number): number {
    const other = this.#at(id, distance)
    return other && other.section === this.sectionOf(id) ? other.id : 0
  }

  #at(id: number, distance: number): TableUnit | undefined {
    let unit = this.#all.get(id)
    for (let step = 0; step < Math.abs(distance); step += 1) unit = distance < 0 ? unit?.previous : unit?.next
    return unit
  }

  lengthOf(id: number): number {
    return this.#all.get(id)?.length ?? 0
  }

  flagsOf(id: number): number {
    return this.#all.get(id)?.flags ?? 0
  }

  labelOf(id: number): string {
    return this.#all.get(id)?.label ?? ''
  }

  labels(): string[] {
    return [...this.#labels.keys()]
  }

  sectionLength(section: number): number {
    return this.#sections.get(section)?.length ?? 0
  }

  /** @param sign 1 to add the unit to the statistics, -1 to remove it */
  #count({ section, length, label }: UnitRow, sign: 1 | -1): void {
    const known = this.#sections.get(section) ?? { length: 0, units: 0 }
    known.length += sign * length
    known.units += sign
    if (known.units > 0) this.#sections.set(section, known)
    else this.#sections.delete(section)
    this.#totalLength += sign * length
    if (label === '') return
    const speeches = (this.#labels.get(label) ?? 0) + sign
    if (speeches > 0) this.#labels.set(label, speeches)
    else this.#labels.delete(label)
  }
}
