/**
 * What lies beside notes and is shown in them: pictures, sound, films, PDF. Read a piece at a time, so that a large one
 * holds nobody up, by the same guard as notes, and only of kinds that no program runs: the name says which, and nothing
 * that is not of a kind on the list leaves the workspace.
 */
import { constants } from 'node:fs'
import { open, readlink, realpath } from 'node:fs/promises'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isExecutable } from './executable-files.ts'
import { placeOf, resolveInside, type Roots } from './paths.ts'

/** Of one answer, bytes. */
const pieceBytes = 1024 * 1024
/** What is larger is no part of a page. */
export const maxAttachmentBytes = 200 * 1024 * 1024

export interface AttachmentPiece {
  /** MIME. */
  readonly type: string
  /** Of the whole, bytes. */
  readonly size: number
  /** Milliseconds since the epoch: pieces with another one are of another file. */
  readonly modifiedAt: number
  readonly bytes: Buffer
}

/**
 * @param from offset in bytes @throws AppError `attachment_unknown` for a kind that is not shown, `file_too_large`, `file_not_found`, and as `resolveInside`
 */
export async function readAttachment(roots: Roots, path: string, from: number): Promise<AttachmentPiece> {
  const { type, target } = await find(roots, path)
  const { isAllowed } = await placeOf(roots)
  try {
    const file = await open(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const real = process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`) : await realpath(target)
      if (!isAllowed(real)) throw new AppError('path_outside_workspace', `${path} was exchanged`, { path })
      const info = await file.stat()
      if (!info.isFile()) throw new AppError('attachment_unknown', `${path} is not a regular file`, { path })
      if (info.size > maxAttachmentBytes) {
        const megabytes = Math.ceil(info.size / 1024 / 1024)
        throw new AppError('file_too_large', `${path} has ${megabytes} MB`, { path, megabytes })
      }
      const buffer = Buffer.alloc(Math.max(0, Math.min(pieceBytes, info.size - from)))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
      return { type, size: info.size, modifiedAt: info.mtimeMs, bytes: buffer.subarray(0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) throw new AppError('file_not_found', `there is no ${path}`, { path })
    if (isSystemError(error, 'EACCES', 'EPERM'))
      throw new AppError('folder_unreadable', `${path} may not be read`, { path })
    throw error
  }
}

/** Where it lies, for another program to open. @throws AppError `attachment_unknown`, `write_refused`, and as `resolveInside` */
export async function locateAttachment(roots: Roots, path: string): Promise<string> {
  const { target } = await find(roots, path)
  if (await isExecutable(target)) throw new AppError('write_refused', `${path} is a program`, { path })
  return target
}

async function find(roots: Roots, path: string): Promise<{ type: string; target: string }> {
  const type = attachmentType(path)
  const target = await resolveInside(roots, path)
  // A link can have another ending than what it leads to.
  if (type === undefined || attachmentType(target) !== type)
    throw new AppError('attachment_unknown', `${path} is of no kind that is shown here`, { path })
  return { type, target }
}
