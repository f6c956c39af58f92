// Starts Swagger UI in the browser. A file of its own, because the page allows no script inside it.
const answer = await fetch('openapi.json');
const spec = await answer.json();

globalThis.SwaggerUIBundle({
  // What is tried here goes to the engine that served this page, also where others reach it by another address.
  spec: { ...spec, servers: [{ url: new URL('.', globalThis.location.href).href.replace(/\/$/, '') }] },
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Nothing is asked of any other server, and no key outlives the page.
  validatorUrl: null,
  persistAuthorization: false,
});
