{{- define "mcpproxy.selector" -}}
app.kubernetes.io/name: mcpproxy
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "mcpproxy.labels" -}}
{{ include "mcpproxy.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "mcpproxy.config" -}}
{{- mustMergeOverwrite (deepCopy .Values.config) (dict "api_key" "${file:/secrets/api-key}") | toPrettyJson }}
{{- end }}
{{- define "mcpproxy.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- define "mcpproxy.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
