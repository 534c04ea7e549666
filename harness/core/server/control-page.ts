import type { FastifyInstance } from 'fastify';

/** Path of the page that shows whether a browser still works. */
export const controlPage = 'control-page';

/** It only asks for its assignment, so the farm knows that it was opened and runs. */
const text = `<!doctype html><meta charset="utf-8"><title>Control page</title><script>
  fetch('/trial/' + new URLSearchParams(location.search).get('trial') + '/assignment');
</script>`;

export function addControlPage(app: FastifyInstance): void {
  app.get(`/${controlPage}`, (_request, reply) => reply.type('text/html').send(text));
}
