import { config } from 'zod';

// zod would try whether it may compile code. The content policy forbids it, and Firefox then reports an error on each page.
config({ jitless: true });
