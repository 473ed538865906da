import {
  Checkbox,
  Code,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { text } from '../../text';
import { requestOf } from './draft';
import { EVALUATED, evaluatedPart, evaluationOf } from './evaluated-part';
import type { DraftControl } from './use-draft';

const FORMATS = ['onnx', 'torchscript', 'openvino', 'tensorrt'];

interface ReviewStepProps {
  readonly control: DraftControl;
  /** Slots of the installation; null: not known yet. */
  readonly gpus: number | null;
}

export function ReviewStep({ control, gpus }: ReviewStepProps) {
  const words = text.training.wizard.review;
  const { draft, edit } = control;
  return (
    <Stack gap="md" maw={640}>
      <TextInput
        label={words.name}
        description={words.nameHint}
        maxLength={200}
        value={draft.experiment_name}
        onChange={(event) => edit({ experiment_name: event.currentTarget.value })}
      />
      <NumberInput
        w={200}
        label={words.gpu}
        description={gpus === 0 ? words.gpuNone : undefined}
        disabled={gpus === 0 && !draft.gpu}
        min={0}
        max={64}
        allowDecimal={false}
        value={draft.gpu ?? (gpus === 0 ? 0 : 1)}
        onChange={(value) => typeof value === 'number' && edit({ gpu: value })}
      />
      <Stack gap="sm">
        <Checkbox
          label={words.register}
          checked={draft.register_model}
          onChange={(event) => edit({ register_model: event.currentTarget.checked })}
        />
        {draft.register_model && (
          <TextInput
            label={words.registerName}
            description={words.registerNameHint}
            maxLength={128}
            value={draft.register_model_name}
            onChange={(event) => edit({ register_model_name: event.currentTarget.value })}
          />
        )}
      </Stack>
      <ExportFields control={control} />
      <Group gap="md" align="flex-end">
        <Select
          w={220}
          label={words.evaluate}
          allowDeselect={false}
          data={EVALUATED.map((value) => ({ value, label: words.evaluateOn[value] }))}
          value={evaluatedPart(draft)}
          onChange={(part) => part !== null && edit({ evaluation: evaluationOf(draft, part) })}
        />
      </Group>
      <Checkbox
        label={words.cache}
        checked={draft.cache_dataset === true}
        onChange={(event) => edit({ cache_dataset: event.currentTarget.checked || undefined })}
      />
      <details>
        <summary>
          <Text component="span" size="sm" fw={500}>
            {words.config}
          </Text>
        </summary>
        <Code block tabIndex={0} mt="xs" style={{ overflowX: 'auto' }}>
          {JSON.stringify(requestOf(draft), null, 2)}
        </Code>
      </details>
    </Stack>
  );
}

function ExportFields({ control }: { control: DraftControl }) {
  const words = text.training.wizard.review;
  const { draft, edit } = control;
  const given = draft.export ?? {};
  const isOn = given.enabled === true;
  return (
    <Stack gap="sm">
      <Checkbox
        label={words.export}
        checked={isOn}
        onChange={(event) =>
          edit({ export: event.currentTarget.checked ? { enabled: true, formats: ['onnx'] } : undefined })
        }
      />
      {isOn && (
        <MultiSelect
          label={words.formats}
          data={FORMATS}
          value={Array.isArray(given.formats) ? given.formats.map(String) : []}
          onChange={(formats) => edit({ export: { ...given, enabled: true, formats } })}
        />
      )}
    </Stack>
  );
}
