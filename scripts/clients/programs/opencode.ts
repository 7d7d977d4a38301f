import { jsonText, type ClientProgram } from '../program.ts';

export const opencode: ClientProgram = {
  id: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  files: ({ modelUrl }) => ({
    '.config/opencode/opencode.json': jsonText({
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Scripted',
          options: { baseURL: `${modelUrl}/v1`, apiKey: 'scripted' },
          models: { scripted: { name: 'Scripted' } },
        },
      },
    }),
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  headless: (prompt) => ['run', prompt],
  terminal: { args: [], ready: /Ask anything|ctrl\+p commands/, asks: /Permission required/ },
  offers: { prompt: true, resource: true, elicitation: false },
};
