import type { ClientProgram } from '../program.ts';

export const continueCli: ClientProgram = {
  id: 'continue',
  title: 'Continue CLI',
  package: '@continuedev/cli',
  version: '1.5.47',
  bin: 'cn',
  files: ({ modelUrl }) => ({
    '.continue/.onboarding_complete': '',
    '.continue/config.yaml': `# settings of the user
name: Scripted
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted
    apiBase: ${modelUrl}/v1
    apiKey: scripted
    capabilities: [tool_use]
    roles: [chat]
`,
  }),
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' }),
  headless: (prompt) => ['-p', prompt],
  terminal: { args: [], ready: /Ask anything/, asks: /Would you like to continue\?/ },
  offers: { prompt: false, resource: false, elicitation: false },
};
