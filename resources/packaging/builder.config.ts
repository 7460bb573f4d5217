/**
 * Configuration of electron-builder. To limit size and risk: native libraries are unpacked beside the archive, those of
 * other systems are excluded, and fuses disable unused features of Electron.
 */
import type { Configuration } from 'electron-builder'

const otherRuntimes = (own: string) => [
  `!node_modules/onnxruntime-node/bin/*/!(${own})/**`,
  '!node_modules/onnxruntime-web/**',
]

const config: Configuration = {
  appId: 'app.commonplace.desktop',
  productName: 'Commonplace',
  copyright: 'MIT licence; notices of others in LICENCES.txt',
  directories: { output: 'dist', buildResources: 'resources/icons' },
  files: [
    'out/**',
    'resources/**',
    '!resources/packaging/**',
    '!resources/models/train/**',
    'package.json',
    'LICENSE',
    '!**/*.map',
    '!node_modules/*/{test,tests,docs,examples}/**',
  ],
  extraFiles: [{ from: 'out/LICENCES.txt', to: 'LICENCES.txt' }],
  asar: true,
  asarUnpack: ['**/*.node', '**/*.{so,dylib,dll}', 'node_modules/onnxruntime-node/bin/**'],
  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
  },
  protocols: [{ name: 'Commonplace note', schemes: ['commonplace'] }],
  // `updates.feed` in config.yaml sets the update feed. There is no default.
  publish: null,
  linux: {
    target: ['AppImage', 'deb'],
    icon: 'icon.png',
    category: 'Utility',
    synopsis: 'Chat with an agent whose memory is plain Markdown on your disk',
    maintainer: 'Commonplace contributors <noreply@commonplace.invalid>',
    files: otherRuntimes('linux'),
  },
  deb: {
    depends: [
      'libgtk-3-0',
      'libnotify4',
      'libnss3',
      'libxss1',
      'libxtst6',
      'xdg-utils',
      'libatspi2.0-0',
      'libuuid1',
      'libsecret-1-0',
    ],
  },
  mac: {
    target: [{ target: 'dmg', arch: ['arm64', 'x64'] }],
    icon: 'icon.png',
    category: 'public.app-category.productivity',
    hardenedRuntime: true,
    files: otherRuntimes('darwin'),
  },
  win: { target: ['nsis'], icon: 'icon.png', files: otherRuntimes('win32') },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },
}

export default config
