/** Pictures of the web. */
import type { RouterBase } from './procedure.ts'

export const picturesRoutes = ({ app, os }: RouterBase) => ({
  remote: os.pictures.remote.handler(async ({ input, signal }) => {
    const { type, bytes } = await app.pictures.load(input.address, signal)
    return { type, data: bytes.toString('base64') }
  }),
})
