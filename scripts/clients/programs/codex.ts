import type { ClientProgram } from '../program.ts';

export const codex: ClientProgram = {
  id: 'codex',
  title: 'Codex CLI',
  package: '@openai/codex',
  version: '0.169.0',
  bin: 'codex',
  files: ({ work, modelUrl }) => ({
    '.codex/config.toml': `# settings of the user
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"

[projects."${work}"]
trust_level = "trusted"
`,
  }),
  env: () => ({ SCRIPTED_API_KEY: 'scripted' }),
  headless: (prompt) => ['exec', '--skip-git-repo-check', prompt],
  terminal: { args: [], ready: /› /, asks: /Allow the .+ to run tool/ },
  offers: { prompt: false, resource: 'model', elicitation: true },
};
