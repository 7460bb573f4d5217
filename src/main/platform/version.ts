/** App version; must match package.json. */
export const appVersion = '0.1.0'
