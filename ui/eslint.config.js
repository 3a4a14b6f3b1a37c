import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['node_modules'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      'no-undef': 'off', // svelte-check knows better
      // The content security policy refuses them, and innerHTML would be a hole.
      'no-restricted-syntax': ['error', { selector: "SvelteAttribute[key.name='style']", message: 'Use a style: directive: the policy refuses style attributes.' }],
      'svelte/no-at-html-tags': 'error',
    },
  },
);
