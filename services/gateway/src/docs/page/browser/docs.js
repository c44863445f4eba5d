import { nameControls } from './accessibility.js';
import { clientSnippet } from './client-snippet.js';
import { documentHere, exampleRequest, operationOf } from './document.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const api = documentHere(await (await fetch('/openapi.json')).json(), location.origin);

/** A tab beside curl with the same request by our client. */
const clientSnippets = () => ({
  fn: {
    requestSnippetGenerator_client: request => {
      const { url, method, body } = request.toJS();
      const operation = operationOf(api, { url, method, body: body ? JSON.parse(body) : undefined });
      return operation ? clientSnippet({ ...operation, baseUrl: location.origin }) : '';
    },
  },
});

/** Shows the snippets of an operation's example before anything is sent. */
const exampleSnippets = ({ React, Im, getComponent }) => ({
  wrapComponents: {
    parameters: Parameters => props => {
      const [path, method] = props.pathMethod;
      // What is posted to others, nobody sends from here.
      if (!(path in api.paths))
        return React.createElement(Parameters, { ...props, tryItOutEnabled: false, allowTryItOut: false });
      const request = Im.fromJS(exampleRequest(api, path, method));
      const RequestSnippets = getComponent('RequestSnippets', true);
      return React.createElement(
        React.Fragment,
        null,
        React.createElement(Parameters, props),
        React.createElement(
          'div',
          { className: 'example-snippets' },
          React.createElement(RequestSnippets, { request }),
        ),
      );
    },
  },
});

/** Heads the first section of each of the day's jobs. */
const jobHeadings = ({ React }) => ({
  wrapComponents: {
    OperationTag: OperationTag => props => {
      const job = api['x-tagGroups'].find(({ tags }) => tags[0] === props.tag);
      return React.createElement(
        React.Fragment,
        null,
        job && React.createElement('h2', { className: 'job' }, job.name),
        React.createElement(OperationTag, props),
      );
    },
  },
});

/** The link of an operation is inside its button; the address has it when the operation is open. */
const noLinksInButtons = ({ React }) => ({
  wrapComponents: {
    DeepLink: DeepLink => props =>
      props.path.includes('/') ? React.createElement('span', null, props.text) : React.createElement(DeepLink, props),
  },
});

nameControls(document.getElementById('reference'));
window.SwaggerUIBundle({
  spec: api,
  dom_id: '#reference',
  layout: 'BaseLayout',
  docExpansion: 'none',
  filter: true,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      client: { title: '@billing/client', syntax: 'javascript' },
    },
    languages: ['curl_bash', 'client'],
    defaultExpanded: true,
  },
  plugins: [clientSnippets, exampleSnippets, jobHeadings, noLinksInButtons],
});
