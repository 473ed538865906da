/** What the sample journey leaves behind (`DATA_DIR/sample/result.json`). */
export interface SampleResult {
  readonly accuracy: number;
  readonly images: number;
  /** File name of the picture beside it. */
  readonly picture: string;
  /** A device that got the model; null in results of earlier versions. */
  readonly device: { readonly id: string; readonly images: number; readonly accuracy: number } | null;
}

export interface HomePageFacts {
  readonly version: string;
  readonly temporalUi: string | null;
  readonly sample: SampleResult | null;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1d2733;background:#fff}
h1{margin-bottom:0}p.version{margin-top:0;color:#5b6876}ul{padding-left:1.2rem}a{color:#0b5cad}a.open{display:inline-block;padding:.5rem 1rem;border-radius:6px;background:#0b5cad;color:#fff;text-decoration:none}img{max-width:100%;border:1px solid #d8dee5;border-radius:4px}
@media(prefers-color-scheme:dark){body{color:#dfe6ee;background:#14191f}a{color:#7db7f0}p.version{color:#93a1b0}img{background:#fff}}`;

/** The start page: self-contained, no script, works offline. */
export function homePage({ version, temporalUi, sample }: HomePageFacts): string {
  const links = [
    link('/docs', 'API documentation', 'try the operations in the browser'),
    link('/openapi.json', 'openapi.json', 'the description for machines'),
    ...(temporalUi === null
      ? []
      : [link(temporalUi, 'Temporal', 'the workflows behind long-running operations')]),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>VisionOps</title><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/console/icon.svg" type="image/svg+xml"><style>${STYLE}</style></head>
<body><h1>VisionOps</h1><p class="version">Machine-learning operations for computer vision, version ${escape(version)}</p>
<p><a class="open" href="/console/">Open the console</a></p>
${NEXT}<ul>
${links.join('\n')}
</ul>
${sample === null ? '' : sampleSection(sample)}</body></html>
`;
}

const link = (href: string, title: string, text: string): string =>
  `<li><a href="${escape(href)}">${escape(title)}</a>: ${escape(text)}</li>`;

const NEXT = `<h2>Next</h2>
<ol>
<li><a href="/console/">Sign in to the console</a> with the e-mail address and password that the first start showed.</li>
<li>Drag a folder of images in, look at what the validation found, and train with three clicks.</li>
<li>Register the model, serve it, and drop a picture on its page. <code>docs/guide/console.md</code> has ten such tasks.</li>
</ol>
<h2>By the API</h2>
<p><a href="/docs#/accounts/Sessions_CookieLogin">Sign in</a>, <a href="/docs#/tenants/Tenants_List">see your tenants</a> (the code of one goes into the field X-Tenant of every call for it),
<a href="/docs#/datasets/Datasets_Create">make a dataset</a>, <a href="/docs#/datasets/DatasetFiles_UploadArchive">upload images</a>,
<a href="/docs#/training/Experiments_Create">train a model</a>. <code>docs/guide/first-calls.md</code> does the same with curl, step by step.</p>
`;

const sampleSection = ({ accuracy, images, device }: SampleResult): string => `<h2>The sample</h2>
<p>A classifier of handwritten digits was trained here and served. It read ${(accuracy * 100).toFixed(1)} % of ${images} images right that it had never seen.${device === null ? '' : deviceText(device)}</p>
<img src="/sample/confusion.svg" alt="Confusion matrix of the digits with example images">
`;

const deviceText = ({ id, images, accuracy }: NonNullable<SampleResult['device']>): string =>
  ` The device <code>${escape(id)}</code> got it by a deployment and read ${(accuracy * 100).toFixed(1)} % of ${images} images right.`;

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
