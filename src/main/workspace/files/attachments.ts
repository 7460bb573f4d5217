/** Reads attachments (images, audio, video, PDF) in pieces. Refuses file types that a program could execute. */
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError } from '#shared/util/errors.ts'
import { withFile } from '#platform'
import { assertAllowed, isExecutable, readFlags, toReadError } from './text-files.ts'
import { resolveRoots, resolveInside, type Roots } from './paths.ts'

const maxPieceBytes = 1024 * 1024
export const maxAttachmentBytes = 200 * 1024 * 1024

/**
 * @param from 0-based, bytes; at or after the end, `bytes` is empty @returns `type`: MIME type; `size`: bytes
 * @throws AppError `attachment_unknown`, `file_too_large`, `file_not_found`, `folder_unreadable`, as `resolveInside`
 */
export async function readPiece(roots: Roots, path: string, from: number) {
  const { type, target } = await resolveAttachment(roots, path)
  const { isAllowed } = await resolveRoots(roots)
  try {
    return await withFile(target, readFlags, async (file) => {
      await assertAllowed(file, target, path, isAllowed)
      const info = await file.stat()
      if (!info.isFile()) throw new AppError('attachment_unknown', `${path} is not a regular file`, { path })
      if (info.size > maxAttachmentBytes) {
        const megabytes = Math.ceil(info.size / 1024 / 1024)
        throw new AppError('file_too_large', `${path} has ${megabytes} MB`, { path, megabytes })
      }
      const buffer = Buffer.alloc(Math.max(0, Math.min(maxPieceBytes, info.size - from)))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
      return { type, size: info.size, bytes: buffer.subarray(0, bytesRead) }
    })
  } catch (error) {
    throw toReadError(error, path)
  }
}

/** For another program to open. @throws AppError `attachment_unknown`, `write_refused`, and as `resolveInside` */
export async function locateAttachment(roots: Roots, path: string): Promise<string> {
  const { target } = await resolveAttachment(roots, path)
  if (await isExecutable(target)) throw new AppError('write_refused', `${path} is an executable file`, { path })
  return target
}

async function resolveAttachment(roots: Roots, path: string) {
  const type = attachmentType(path)
  const target = await resolveInside(roots, path)
  // A symbolic link can have another extension than its target.
  if (type === undefined || attachmentType(target) !== type)
    throw new AppError('attachment_unknown', `${path} is not a supported attachment type`, { path })
  return { type, target }
}
