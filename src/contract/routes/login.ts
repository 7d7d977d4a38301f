import { z } from 'zod';

export const LoginLink = z.object({
  url: z.string().describe('logs one browser in, once'),
  expires_at: z.string(),
});
export type LoginLink = z.infer<typeof LoginLink>;

export const loginRoutes = {
  createLoginLink: {
    method: 'POST',
    path: '/login-links',
    summary: 'A link that opens the web UI and logs in, once and within ten minutes',
    output: LoginLink,
  },
} as const;
