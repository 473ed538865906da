// Only what needs types: everything else is Biome's, which is twenty times as fast.
import tseslint from 'typescript-eslint';

export default [
  { ignores: ['**/*.js', '**/*.mjs', 'dist/**', 'api/generated/**'] },
  {
    files: [
      'core/**/*.ts',
      'formats/**/*.ts',
      'models/**/*.ts',
      'adapters/**/*.ts',
      'api/**/*.ts',
      'workflows/**/*.ts',
      'activities/**/*.ts',
      'cli/**/*.ts',
    ],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name='execute'][callee.object.property.name='em'], CallExpression[callee.property.name='execute'][callee.object.name='em']",
          message: 'em.execute pastes values into the text; use the transaction with bound parameters.',
        },
        {
          selector: "CallExpression[callee.property.name='nativeUpdate']",
          message: 'nativeUpdate passes by the entity and its state machine; load the entity and assign.',
        },
        {
          selector:
            "CallExpression[callee.property.name='nativeDelete']:not([arguments.1.properties.0.key.name='id'][arguments.1.properties.0.value.type!='ObjectExpression'])",
          message: 'nativeDelete removes one row, by its id; a set is SQL text with its reason (*.sql.ts).',
        },
      ],
    },
  },
];
