/**
 * Checks that a release may be built, and writes its notes: `node check-release.mjs NOTES_FILE`. Without a tag (a trial
 * run), only package.json and CHANGELOG.md must agree.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { isMain, run } from './run.mjs'

/** A release, or a beta that GitHub marks as a prerelease. */
const versionForm = /^\d+\.\d+\.\d+(-beta\.\d+)?$/

/**
 * @typedef {object} Release
 * @property {string | undefined} tag undefined in a trial run
 * @property {string} version of package.json
 * @property {string} changelog
 * @property {string} repository address of the repository, for links in the notes
 */

/**
 * @param {Release} release
 * @returns {string} the notes of this version, in Markdown
 * @throws Error if the tag, the version and the changelog do not agree
 */
export function releaseNotes({ tag, version, changelog, repository }) {
  if (!versionForm.test(version)) throw new Error(`the version ${version} is not X.Y.Z or X.Y.Z-beta.N`)
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`the tag ${tag} does not match version ${version} of package.json: the tag must be v${version}`)
  const section = sectionOf(changelog, version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} – YYYY-MM-DD"`)
  if (tag !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(section.date))
    throw new Error(`CHANGELOG.md dates ${version} "${section.date}": write the date of the release, YYYY-MM-DD`)
  if (section.text === '') throw new Error(`the section ${version} of CHANGELOG.md is empty`)
  // A relative link of the changelog is dead on the page of a release.
  return section.text.replace(/\]\((?!https?:|#)([^)]+)\)/g, `](${repository}/blob/${tag ?? 'HEAD'}/$1)`)
}

/**
 * @param {string} changelog
 * @param {string} version
 */
function sectionOf(changelog, version) {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [, name, date = ''] = /^(\S+)(?: [–-] (.*))?$/m.exec(section) ?? []
    if (name === version) return { date: date.trim(), text: section.slice(section.indexOf('\n')).trim() }
  }
  return undefined
}

if (isMain(import.meta))
  run(() => {
    const { GITHUB_REF_TYPE, GITHUB_REF_NAME, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_OUTPUT } = process.env
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const notes = releaseNotes({
      tag: GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined,
      version,
      changelog: readFileSync('CHANGELOG.md', 'utf8'),
      repository: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
    })
    writeFileSync(process.argv[2] ?? 'notes.md', `${notes}\n`)
    if (GITHUB_OUTPUT)
      appendFileSync(GITHUB_OUTPUT, `version=${version}\nprerelease=${version.includes('-') ? 'true' : 'false'}\n`)
    process.stdout.write(`release ${version}: ${notes.split('\n').length} lines of notes\n`)
  })
