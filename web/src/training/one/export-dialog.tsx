import { Checkbox, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { type ExperimentDetail, experimentKey } from '../queries';

const FORMATS = ['onnx', 'torchscript', 'openvino', 'tensorrt'] as const;
type Format = (typeof FORMATS)[number];

interface ExportDialogProps {
  readonly experiment: ExperimentDetail;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The export has begun, and the list was read again. */
  readonly onStarted: () => void;
}

export function ExportDialog({ experiment, opened, onClose, onStarted }: ExportDialogProps) {
  const words = text.training.one.exports;
  const tenant = useTenant();
  const client = useQueryClient();
  const [format, setFormat] = useState<Format>('onnx');
  const [size, setSize] = useState<number | ''>('');
  const [half, setHalf] = useState(false);
  const [dynamic, setDynamic] = useState(false);
  const start = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/training/experiments/{experiment_id}/export', {
          params: { path: { experiment_id: experiment.id } },
          body: { formats: [format], half, dynamic, ...(size === '' ? {} : { image_size: size }) },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: experimentKey(tenant, experiment.id) });
      onStarted();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={words.title} isBusy={start.isPending}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text>{words.hint}</Text>
          <Select
            label={words.format}
            data={[...FORMATS]}
            allowDeselect={false}
            value={format}
            onChange={(value) => setFormat((value ?? 'onnx') as Format)}
          />
          <NumberInput
            label={words.imageSize}
            description={words.imageSizeHint}
            min={4}
            max={8192}
            allowDecimal={false}
            value={size}
            onChange={(value) => setSize(typeof value === 'number' ? value : '')}
          />
          <Checkbox
            label={words.half}
            checked={half}
            onChange={(event) => setHalf(event.currentTarget.checked)}
          />
          <Checkbox
            label={words.dynamic}
            checked={dynamic}
            onChange={(event) => setDynamic(event.currentTarget.checked)}
          />
          {start.isError && <ErrorCard error={start.error} />}
          <DialogEnd onCancel={onClose} action={words.submit} isBusy={start.isPending} />
        </Stack>
      </form>
    </Dialog>
  );
}
