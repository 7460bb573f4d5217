/**
 * Bundle for apps that install MCP servers from a file (`.mcpb`, manifest 0.3). Contains a short script that starts the
 * installed app, and a description of the memory's tools.
 */
import { zipSync, strToU8 } from 'fflate'
import { readFileSync } from 'node:fs'
import { memoryTools } from '../../src/main/interop/mcp-server/mcp-server.ts'

const root = new URL('../../', import.meta.url)
const entry = 'server/index.mjs'
const icon = 'icon.png'

/** Returns the manifest, as specified by MANIFEST.md of github.com/modelcontextprotocol/mcpb. */
export function bundleManifest() {
  const { version, description, author, license } = JSON.parse(
    readFileSync(new URL('package.json', root), 'utf8'),
  ) as Readonly<Record<'version' | 'description' | 'author' | 'license', string>>
  return {
    manifest_version: '0.3',
    name: 'commonplace',
    display_name: 'Commonplace',
    version,
    description: 'Your long-term memory, in plain Markdown on your own disk, for every assistant that you use',
    long_description: `${description}. This extension starts the installed app; nothing leaves this machine but what the assistant reads.`,
    author: { name: author },
    license,
    icon,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`, '--client', 'claude-desktop'],
        env: { COMMONPLACE_APP: '${user_config.app}' },
      },
    },
    tools: memoryTools.map((tool) => ({ name: tool.name, description: tool.description })),
    user_config: {
      app: {
        type: 'file',
        title: 'Where Commonplace is',
        description: 'Only where it is not installed in the usual place',
        required: false,
        default: '',
      },
    },
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=18.0.0' } },
  }
}

/** Returns the bundle as a zip archive. */
export function bundle(): Uint8Array {
  return zipSync({
    'manifest.json': strToU8(`${JSON.stringify(bundleManifest(), null, 2)}\n`),
    [entry]: readFileSync(new URL('resources/packaging/mcpb/server.mjs', root)),
    [icon]: readFileSync(new URL('resources/icons/icon.png', root)),
  })
}
