import packageJson from '../../../package.json' with { type: 'json' }

/** App version. */
export const appVersion = packageJson.version
