import { jsonText, type ClientProgram } from '../program.ts';

export const qwen: ClientProgram = {
  id: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  bin: 'qwen',
  files: () => ({
    '.qwen/settings.json': jsonText({
      security: { auth: { selectedType: 'openai' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      model: { name: 'scripted' },
    }),
  }),
  env: ({ modelUrl }) => ({
    OPENAI_API_KEY: 'scripted',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: 'scripted',
  }),
  headless: (prompt) => ['-p', prompt],
  terminal: {
    args: [],
    ready: /Type your message/,
    asks: /Allow execution of MCP tool|Do you want to proceed/,
  },
  offers: { prompt: true, reload: '/reload-plugins', resource: true, elicitation: false },
};
