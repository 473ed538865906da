import { Alert, Grid, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { versionQuery } from '../../shared/model-versions';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';
import { type DatasetFile, type Endpoint, type ModelImage, objectClassesQuery } from '../queries';
import { type Answer, askModel, type Picture } from './ask-model';
import { DatasetPictures } from './dataset-pictures';
import { DrawnPicture } from './drawn-picture';
import { DropArea } from './drop-area';
import { Objects, Scores } from './found';
import { type Prediction, predictionOf } from './prediction';
import { RawAnswer } from './raw-answer';

const words = text.serving.try;
const LEAST_SCORE = 0.25;

interface TryProps {
  readonly endpoint: Endpoint;
  /** Null: nobody knows; undefined: it is still to be read. */
  readonly served: ModelImage | null | undefined;
}

/** A picture in, what the model sees in it out. */
export function TryIt({ endpoint, served }: TryProps) {
  const tenant = useTenant();
  const [picture, setPicture] = useState<Picture | null>(null);
  const latest = useRef<unknown>(null);
  const { mutate, ...ask } = useMutation({
    mutationFn: async (find: () => Promise<Picture>): Promise<Answer> => {
      latest.current = find;
      const found = await find();
      // The answer that is shown is that of the last choice, whichever picture arrives last.
      if (latest.current === find) setPicture(found);
      return askModel(tenant, endpoint.name, found);
    },
  });
  const isDisabled = endpoint.status !== 'RUNNING' && endpoint.status !== 'DEGRADED';
  const takeFile = useCallback(
    (file: File) => mutate(async () => ({ name: file.name, bytes: file, truth: null })),
    [mutate],
  );
  const takeFromDataset = (file: DatasetFile, url: string) =>
    mutate(async () => ({
      name: file.path.split('/').at(-1) ?? file.path,
      bytes: await bytesAt(url),
      truth: file.label,
    }));
  const own = useTrainingData(served);
  const { data: classes } = useQuery(objectClassesQuery(tenant, own ?? null));
  const prediction = ask.data ? predictionOf(ask.data.raw) : null;
  return (
    <Stack gap="md">
      {isDisabled && <Alert color="gray">{words.notRunning(wordOf(endpoint.status).toLowerCase())}</Alert>}
      <Tried
        picture={picture}
        prediction={prediction}
        classes={classes}
        answer={ask.data ?? null}
        isPending={ask.isPending}
        isDisabled={isDisabled}
        error={ask.error}
        onFile={takeFile}
      />
      {/* Pictures of another dataset would change under the hand of whoever is about to click. */}
      {own !== undefined && <DatasetPictures own={own} isDisabled={isDisabled} onChoose={takeFromDataset} />}
      {picture !== null && ask.data && (
        <RawAnswer
          url={endpoint.url}
          type={picture.bytes.type === 'image/jpeg' ? 'image/jpeg' : 'image/png'}
          file={picture.name}
          raw={ask.data.raw}
        />
      )}
    </Stack>
  );
}

interface TriedProps {
  readonly picture: Picture | null;
  readonly prediction: Prediction | null;
  /** Classes of the served version, in the order of their colours. */
  readonly classes: readonly string[];
  readonly answer: Answer | null;
  readonly isPending: boolean;
  readonly isDisabled: boolean;
  readonly error: unknown;
  readonly onFile: (file: File) => void;
}

function Tried(props: TriedProps) {
  const { picture, prediction, classes, answer, isPending, error } = props;
  const [least, setLeast] = useState(LEAST_SCORE);
  const [pointed, setPointed] = useState<number | null>(null);
  const [size, setSize] = useState<readonly [number, number] | null>(null);
  const all = prediction?.kind === 'objects' ? prediction.shapes : [];
  const shown = all.filter(({ score }) => !(score < least));
  return (
    <Grid>
      <Grid.Col span={{ base: 12, sm: 7 }}>
        <DropArea isDisabled={props.isDisabled} onFile={props.onFile}>
          {picture !== null && (
            <DrawnPicture
              picture={picture}
              shapes={isPending ? [] : shown}
              classes={classes}
              pointed={pointed}
              onPoint={setPointed}
              onSize={(width, height) => setSize([width, height])}
            />
          )}
        </DropArea>
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 5 }}>
        <Stack gap="sm" role="status" mih={260}>
          {picture === null && error === null && !isPending && <Text c="dimmed">{words.hint}</Text>}
          {isPending && <Text>{words.waiting}…</Text>}
          {error !== null && <ErrorCard error={error} />}
          {!isPending && prediction?.kind === 'scores' && (
            <Scores prediction={prediction} truth={picture?.truth ?? null} />
          )}
          {!isPending && prediction?.kind === 'objects' && (
            <Objects
              all={all}
              shown={shown}
              classes={classes}
              least={least}
              onLeast={setLeast}
              pointed={pointed}
              onPoint={setPointed}
            />
          )}
          {!isPending && prediction?.kind === 'unknown' && <Text>{words.unknown}</Text>}
          {!isPending && answer !== null && (
            <Group gap="md">
              <Text size="sm" c="dimmed">
                {words.latency(answer.ms.toFixed(0))}
                {size !== null && ` · ${words.size(...size)}`}
              </Text>
            </Group>
          )}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

/** Id of the dataset that the served version learned from; null: not known, undefined: still to be read. */
function useTrainingData(served: ModelImage | null | undefined): string | null | undefined {
  const name = served?.model_name ?? null;
  const version = served?.model_version ?? null;
  const isKnown = name !== null && version !== null;
  const { data, isLoading } = useQuery({
    ...versionQuery(useTenant(), name ?? '', version ?? 0),
    enabled: isKnown,
  });
  return served === undefined || isLoading ? undefined : (data?.dataset_id ?? null);
}

/** @throws Error when they cannot be read */
async function bytesAt(url: string): Promise<Blob> {
  const answer = await fetch(url, { credentials: 'same-origin' });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.blob();
}
