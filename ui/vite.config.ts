import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../src/jostle/server/static',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy lets no data: font or script in
    modulePreload: { polyfill: false },
    target: 'es2023',
    // What several pages share is one file: each file more is a way to the server and back.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', test: /\/src\/(lib|components)\//, minShareCount: 2 }] } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8642' } },
  // Far from UTC: what takes the viewer's clock by mistake is seen.
  test: { include: ['src/**/*.test.ts'], env: { TZ: 'America/New_York' } },
});
