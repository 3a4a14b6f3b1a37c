import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import bundled from './bundled.json' with { type: 'json' };

// What is in the pages is in the wheel: its licence has to be there, too, and it is in the bill of materials.
const known = {
  name: 'known-packages',
  generateBundle(_: unknown, bundle: Record<string, { modules?: Record<string, { renderedLength: number }>; originalFileNames?: string[] }>) {
    const files = Object.values(bundle).flatMap((part) => [
      ...Object.entries(part.modules ?? {}).filter(([id, of]) => of.renderedLength > 0 || id.endsWith('.css')).map(([id]) => id),
      ...(part.originalFileNames ?? []),
    ]);
    const names = files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
    const strange = names.find((name) => name !== undefined && !bundled.includes(name));
    if (strange) throw new Error(`The package ${strange} gets into the pages. Add it to ui/bundled.json and its licence to ui/public/LICENSES.txt.`);
  },
};

export default defineConfig({
  plugins: [svelte(), known],
  build: {
    outDir: '../src/jostle/server/static',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the policy lets no data: font or script in
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 600, // three.js, which is loaded only for the placement in three dimensions
    // What several pages share is one file: each file more is a way to the server and back.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', test: /\/src\/(api|charts|export|format|jobs|shell)\//, minShareCount: 2 }] } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8642' } },
  // Far from UTC: what takes the viewer's clock by mistake is seen.
  test: { include: ['src/**/*.test.ts'], env: { TZ: 'America/New_York' } },
});
