/** The version of the app, as package.json has it. */
export const appVersion = '0.1.0'
