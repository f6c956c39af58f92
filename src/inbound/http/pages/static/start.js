// Starts Swagger UI in the browser. It is a separate file, because the page forbids inline scripts.
const answer = await fetch('openapi.json');
// Swagger UI has a chooser of files in a list only for this older form of the description of bytes.
const describeBytes = (_name, value) =>
  value?.contentMediaType === undefined ? value : { ...value, type: 'string', format: 'binary' };
const spec = JSON.parse(await answer.text(), describeBytes);

globalThis.SwaggerUIBundle({
  // Requests from this page go to the engine that served it, also if clients reach it at another address.
  spec: { ...spec, servers: [{ url: new URL('.', globalThis.location.href).href.replace(/\/$/, '') }] },
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // No request goes to another server, and no key is stored after the page is closed.
  validatorUrl: null,
  persistAuthorization: false,
});
