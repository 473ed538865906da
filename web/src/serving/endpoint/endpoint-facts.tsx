import { DatasetLink, VersionLink } from '../../shared/links';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { imageDigest, imageName } from '../image-name';
import type { Endpoint, ModelImage } from '../queries';
import { Replicas } from './replicas';

const words = text.serving.endpoint;

interface FactsProps {
  readonly endpoint: Endpoint;
  /** The image that it serves; null where that is not known. */
  readonly served: ModelImage | null;
}

export function EndpointFacts({ endpoint, served }: FactsProps) {
  const { image_ref: ref, validation_dataset_id: dataset } = endpoint;
  const name = served?.model_name ?? null;
  const version = served?.model_version ?? null;
  return (
    <Facts
      items={[
        [
          words.facts.model,
          name === null || version === null ? (
            '–'
          ) : (
            <VersionLink key="model" name={name} version={version}>
              {text.serving.version(name, version)}
            </VersionLink>
          ),
        ],
        [words.facts.answering, text.serving.ready(endpoint.ready_replicas, endpoint.replicas)],
        [words.replicas, <Replicas key="replicas" endpoint={endpoint} />],
        [words.facts.heartbeat, <Time key="heartbeat" iso={endpoint.last_heartbeat_at} />],
        [words.facts.gpu, endpoint.gpu === 0 ? text.serving.cpu : words.gpuSlots(endpoint.gpu)],
        [
          words.facts.image,
          ref === null ? (
            '–'
          ) : (
            <CopyText
              key="image"
              value={ref}
              shown={`${imageName(ref)}@${imageDigest(ref)?.slice(0, 15) ?? ''}`}
            />
          ),
        ],
        [words.facts.licence, endpoint.licence ?? text.models.versionPage.facts.noLicence],
        [
          words.facts.validation,
          dataset === null ? words.facts.none : <DatasetLink key="dataset" id={dataset} />,
        ],
        [words.facts.url, <CopyText key="url" value={endpoint.url} />],
        [words.facts.created, <Time key="created" iso={endpoint.created_at} />],
      ]}
    />
  );
}
