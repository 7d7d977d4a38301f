import { jsonText, type ClientProgram } from '../program.ts';

const API_KEY = 'scripted-api-key-000';

export const claudeCode: ClientProgram = {
  id: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.327',
  bin: 'claude',
  files: ({ work }) => ({
    '.claude.json': jsonText({
      hasCompletedOnboarding: true,
      theme: 'dark',
      // The last 20 characters of a key from the environment that the user has accepted.
      customApiKeyResponses: { approved: [API_KEY], rejected: [] },
      projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  }),
  env: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }),
  headless: (prompt) => ['-p', prompt],
  terminal: { args: [], ready: /❯/, asks: /Do you want to proceed\?/ },
  offers: { prompt: true, resource: true, elicitation: true },
};
