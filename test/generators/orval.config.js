// One client for all endpoints; the two streams are read event by event.
const { OPENAPI_FILE: input, CHARTWRIGHT_URL: baseUrl } = process.env;
const stream = { mutator: { path: 'clients/orval-stream.ts', name: 'readStream', inferred: true, extension: '.ts' } };

export default {
  chartwright: {
    input,
    output: {
      target: 'generated/orval.ts',
      client: 'fetch',
      baseUrl,
      override: { operations: { streamDiagnosis: stream, connectStream: stream } },
    },
  },
};
