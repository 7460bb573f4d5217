/**
 * Configuration of electron-builder. To limit size and risk, the archive contains only what is named here, native
 * libraries are unpacked beside it, those of other systems are excluded, and fuses disable unused features of Electron.
 */
import type { Configuration, FileSet } from 'electron-builder'
import { shippedPackages } from './shipped-packages.ts'

/** Empty variables count as missing: workflows pass secrets that a repository does not have as empty texts. */
const hasAny = (...names: string[]) => names.some((name) => (process.env[name] ?? '') !== '')

/** Copies the native modules of one system; electron-builder replaces `${arch}` with the processor. */
const nativeModules = (system: string, vectors = system): FileSet[] => [
  copied('node_modules/better-sqlite3/prebuilds', [`${system}-\${arch}.node`]),
  copied(
    `out/native/sqlite-vec-${vectors}-\${arch}`,
    ['package.json', 'vec0.*'],
    `node_modules/sqlite-vec-${vectors}-\${arch}`,
  ),
]

function filesOf(name: string): string[] {
  if (name === 'better-sqlite3') return ['lib/**', 'package.json', 'LICENSE']
  return [
    '**',
    '!**/*.{map,ts,mts,cts,md,markdown,flow,yml,yaml}',
    '!{.*,*.config.js,*.html,*.ico,*.sh,CNAME,bench*,bin,bin.js,build,docs,example*,scripts,test*,tsconfig*.json}{,/**}',
    // A package that is installed inside another one is listed itself.
    '!node_modules{,/**}',
  ]
}

function copied(from: string, filter: string[], to = from): FileSet {
  return { from, to, filter }
}

/** Returns a new object each time, because electron-builder changes the one it gets. */
export function builderConfig(): Configuration {
  const hasCertificate = hasAny('CSC_LINK', 'CSC_NAME')
  const canNotarize = hasAny('APPLE_API_KEY', 'APPLE_ID', 'APPLE_KEYCHAIN_PROFILE')
  const repository = process.env['GITHUB_REPOSITORY']
  const homepage = repository ? `https://github.com/${repository}` : 'https://commonplace.invalid'
  return {
    appId: 'app.commonplace.desktop',
    productName: 'Commonplace',
    copyright: 'MIT licence; notices of others in LICENCES.txt',
    artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
    directories: { output: 'dist', buildResources: 'resources/packaging/icons' },
    // File names have no scope, and Debian packages must name a home page.
    extraMetadata: { name: 'commonplace', homepage },
    electronLanguages: ['en-US', 'zh-CN', 'zh-TW'],
    // `files` names all packages, and the native modules are shipped as their packages contain them.
    beforeBuild: () => Promise.resolve(false),
    files: [
      'out/{main,preload,renderer}/**',
      'resources/{icons,models/builtin,prompts,templates}/**',
      'package.json',
      'LICENSE',
      '!**/*.map',
      ...shippedPackages().map((name) => copied(`node_modules/${name}`, filesOf(name))),
    ],
    extraResources: [{ from: 'out/LICENCES.txt', to: 'LICENCES.txt' }],
    // This runtime of AppImages needs no FUSE library of the system.
    toolsets: { appimage: '1.0.3' },
    asar: { smartUnpack: false },
    asarUnpack: ['**/*.node', '**/*.{so,dylib,dll}'],
    electronFuses: {
      runAsNode: false,
      // The app has no cookies, and the key for them would open the keychain.
      enableCookieEncryption: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    },
    protocols: [{ name: 'Commonplace note', schemes: ['commonplace'] }],
    // Packages contain app-update.yml, without which the updater cannot download. `updates.feed` in config.yaml sets the
    // address; there is no default.
    publish: [{ provider: 'generic', url: 'https://updates.invalid/' }],
    linux: {
      target: ['AppImage', 'deb'],
      icon: 'linux',
      category: 'Utility',
      synopsis: 'Chat with an agent whose memory is plain Markdown on your disk',
      maintainer: 'Commonplace contributors <noreply@commonplace.invalid>',
      syncDesktopName: true,
      mimeTypes: ['text/markdown'],
      files: nativeModules('linux'),
    },
    mac: {
      target: ['dmg', 'zip'],
      icon: 'icon.icns',
      category: 'public.app-category.productivity',
      // Without any signature, Apple silicon reports that the app is damaged. `-` is a signature without a certificate.
      ...(hasCertificate ? {} : { identity: '-' }),
      // The hardened runtime loads no library of another team, and without a certificate there is no team.
      hardenedRuntime: hasCertificate,
      entitlements: 'resources/packaging/entitlements.mac.plist',
      entitlementsInherit: 'resources/packaging/entitlements.mac.plist',
      // On Windows, this would make the app the default for Markdown; installer.nsh only offers it.
      fileAssociations: { ext: 'md', name: 'Markdown', role: 'Editor', rank: 'Alternate' },
      notarize: hasCertificate && canNotarize,
      files: nativeModules('darwin'),
    },
    win: { target: ['nsis', 'portable'], icon: 'icon.ico', files: nativeModules('win32', 'windows') },
    nsis: {
      artifactName: '${productName}-${version}-${os}-${arch}-setup.${ext}',
      include: 'resources/packaging/installer.nsh',
      oneClick: false,
      perMachine: false,
      allowToChangeInstallationDirectory: true,
      deleteAppDataOnUninstall: false,
    },
    portable: { artifactName: '${productName}-${version}-${os}-${arch}-portable.${ext}' },
  }
}
