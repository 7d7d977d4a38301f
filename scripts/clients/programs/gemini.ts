import { jsonText, type ClientProgram } from '../program.ts';

const MODEL = ['--model', 'gemini-2.5-flash'];

export const gemini: ClientProgram = {
  id: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  bin: 'gemini',
  files: () => ({
    '.gemini/settings.json': jsonText({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { hideTips: true },
    }),
  }),
  env: ({ modelUrl }) => ({
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  headless: (prompt) => [...MODEL, '-p', prompt],
  terminal: { args: MODEL, ready: /Type your message/, asks: /Allow execution of MCP tool/ },
  offers: { prompt: true, resource: true, elicitation: false },
};
