import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the page into dist/web, where the daemon serves it from. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative: the page may be below a path of a reverse proxy.
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Data URIs in CSS would need a wider policy than "only files of ours".
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One small file. A sheet of its own per page could fail to load, and is not tried again.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // One file, so that the setting in it is made before any schema is.
        codeSplitting: { groups: [{ name: 'zod', test: /[\\/]node_modules[\\/]zod[\\/]|without-eval/ }] },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': 'http://127.0.0.1:8080', '/web/session': 'http://127.0.0.1:8080' },
  },
});
