// Generated files import each other with their extension, as Node needs it.
export default {
  input: process.env.OPENAPI_FILE,
  output: { path: 'generated/hey-api', importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
