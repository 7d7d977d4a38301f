import { jsonText, type ClientProgram } from '../program.ts';

export const copilot: ClientProgram = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  package: '@github/copilot',
  version: '1.0.102',
  bin: 'copilot',
  files: ({ work }) => ({ '.copilot/config.json': jsonText({ trusted_folders: [work], banner: 'never' }) }),
  env: ({ modelUrl }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: 'scripted',
    COPILOT_MODEL: 'scripted',
  }),
  headless: (prompt) => ['-p', prompt],
  terminal: { args: [], ready: /❯/, asks: /Do you want to use this tool\?/ },
  offers: { prompt: false, resource: false, elicitation: true },
};
