import { agentSettingsSchema } from '../../src/main/platform/config/config-schema.ts'

/** The settings of an agent without any in config.yaml. */
export const defaultSettings = agentSettingsSchema.parse({})
