// JSON Schema of what thrum run prints. Within version 1 fields are added, and none is renamed or changes its type.
#include "report/run_report.hpp"

namespace thrum::report {
namespace {

constexpr std::string_view kSchema = R"schema({
 "$schema": "https://json-schema.org/draft/2020-12/schema",
 "$id": "https://thrum.invalid/schema/run-1.json",
 "title": "thrum run: a report, or why there is none",
 "oneOf": [
  {"$ref": "#/$defs/report"},
  {"$ref": "#/$defs/error"}
 ],
 "$defs": {
  "report": {
   "type": "object",
   "properties": {
    "schema_version": {"const": 1},
    "tool": {
     "type": "object",
     "properties": {
      "name": {"type": "string"},
      "version": {"type": "string"},
      "host": {"type": "string"},
      "os": {"type": "string"},
      "cpus": {"type": "integer", "minimum": 0}
     },
     "required": ["name", "version", "host", "os", "cpus"]
    },
    "started_at": {"type": "string"},
    "target": {
     "type": "object",
     "properties": {
      "mode": {
       "enum": ["run", "ramp", "api", "flow", "replay"]
      },
      "method": {"type": "string"},
      "url": {"type": "string"},
      "concurrency": {"type": "integer", "minimum": 1}
     },
     "required": ["mode", "url"]
    },
    "settings": {
     "type": "object",
     "additionalProperties": {
      "type": "array",
      "items": {"type": "string"}
     }
    },
    "summary": {
     "type": "object",
     "properties": {
      "total_requests": {"type": "integer", "minimum": 0},
      "successful_requests": {"type": "integer", "minimum": 0},
      "failed_requests": {"type": "integer", "minimum": 0},
      "http_errors": {"type": "integer", "minimum": 0},
      "timeout_errors": {"type": "integer", "minimum": 0},
      "connection_errors": {"type": "integer", "minimum": 0},
      "interrupted": {"type": "boolean"},
      "aborted_by": {"type": "string"},
      "cut": {"type": "integer", "minimum": 0},
      "duration_ms": {"type": "number", "minimum": 0},
      "requests_per_second": {"type": "number", "minimum": 0},
      "data_transfer_bytes": {"type": "integer", "minimum": 0},
      "latency": {
       "type": "object",
       "properties": {
        "min_ms": {"type": "number", "minimum": 0},
        "max_ms": {"type": "number", "minimum": 0},
        "avg_ms": {"type": "number", "minimum": 0},
        "std_dev_ms": {"type": "number", "minimum": 0},
        "median_ms": {"type": "number", "minimum": 0},
        "p90_ms": {"type": "number", "minimum": 0},
        "p95_ms": {"type": "number", "minimum": 0},
        "p99_ms": {"type": "number", "minimum": 0},
        "p999_ms": {"type": "number", "minimum": 0},
        "p9999_ms": {"type": "number", "minimum": 0},
        "phases": {
         "type": "object",
         "properties": {
          "connect": {"$ref": "#/$defs/phase"},
          "dns": {"$ref": "#/$defs/phase"},
          "tcp": {"$ref": "#/$defs/phase"},
          "tls": {"$ref": "#/$defs/phase"},
          "first_byte": {"$ref": "#/$defs/phase"},
          "download": {"$ref": "#/$defs/phase"},
          "dns_lookup_avg_ms": {"type": "number", "minimum": 0}
         }
        },
        "histogram": {
         "type": "array",
         "items": {
          "type": "array",
          "prefixItems": [
           {
            "type": ["number", "null"]
           },
           {"type": "integer", "minimum": 0}
          ],
          "minItems": 2,
          "maxItems": 2
         }
        }
       },
       "required": ["min_ms", "max_ms", "avg_ms", "std_dev_ms", "median_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "p9999_ms", "phases"]
      },
      "service_time": {
       "type": "object",
       "properties": {
        "min_ms": {"type": "number", "minimum": 0},
        "max_ms": {"type": "number", "minimum": 0},
        "avg_ms": {"type": "number", "minimum": 0},
        "std_dev_ms": {"type": "number", "minimum": 0},
        "median_ms": {"type": "number", "minimum": 0},
        "p90_ms": {"type": "number", "minimum": 0},
        "p95_ms": {"type": "number", "minimum": 0},
        "p99_ms": {"type": "number", "minimum": 0},
        "p999_ms": {"type": "number", "minimum": 0},
        "p9999_ms": {"type": "number", "minimum": 0}
       },
       "required": ["min_ms", "max_ms", "avg_ms", "std_dev_ms", "median_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "p9999_ms"]
      },
      "queued": {
       "type": "object",
       "properties": {
        "median_ms": {"type": "number"},
        "p99_ms": {"type": "number"},
        "max_ms": {"type": "number"}
       },
       "required": ["median_ms", "p99_ms", "max_ms"]
      },
      "status_codes": {
       "type": "object",
       "patternProperties": {
        "^[0-9]{3}$": {"type": "integer", "minimum": 0}
       },
       "additionalProperties": false
      },
      "redirects": {"type": "integer", "minimum": 0},
      "server_timing": {
       "type": "object",
       "properties": {
        "responses": {"type": "integer", "minimum": 0},
        "total": {"type": "object"},
        "segments": {"type": "object"}
       },
       "required": ["responses"]
      },
      "slowest_requests": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "at_s": {"type": "number", "minimum": 0},
         "latency_ms": {"type": "number", "minimum": 0},
         "status": {"type": "integer", "minimum": 0},
         "request_id": {"type": "string"},
         "id_header": {"type": "string"}
        },
        "required": ["at_s", "latency_ms", "status"]
       }
      },
      "anomalies": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "at_s": {"type": "number", "minimum": 0},
         "kind": {
          "enum": ["latency", "throughput", "errors"]
         },
         "text": {"type": "string"}
        },
        "required": ["at_s", "kind", "text"]
       }
      },
      "failures": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "cause": {"type": "string"},
         "count": {"type": "integer", "minimum": 0},
         "example_body": {"type": "string"}
        },
        "required": ["cause", "count"]
       }
      }
     },
     "required": ["total_requests", "successful_requests", "failed_requests", "http_errors", "timeout_errors", "connection_errors", "interrupted", "duration_ms", "requests_per_second", "data_transfer_bytes", "latency", "status_codes"]
    },
    "verdict": {
     "type": "object",
     "properties": {
      "level": {
       "enum": ["healthy", "degraded", "failing"]
      },
      "findings": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "level": {
          "enum": ["healthy", "degraded", "failing"]
         },
         "code": {
          "type": "string",
          "pattern": "^[a-z_]+$"
         },
         "text": {"type": "string"}
        },
        "required": ["level", "code", "text"]
       }
      }
     },
     "required": ["level", "findings"]
    },
    "generator": {
     "type": "object",
     "properties": {
      "threads": {"type": "integer", "minimum": 0},
      "peak_busy_percent": {"type": "integer", "minimum": 0, "maximum": 100},
      "warmup_s": {"type": "number", "minimum": 0},
      "warmup_requests": {"type": "integer", "minimum": 0},
      "rate": {"type": "string"},
      "rate_per_second": {"type": "number", "minimum": 0},
      "rate_missed": {"type": "integer", "minimum": 0},
      "limit": {"type": "string"}
     },
     "required": ["threads"]
    },
    "connections": {
     "type": "object",
     "properties": {
      "opened": {"type": "integer", "minimum": 0},
      "reused": {"type": "integer", "minimum": 0},
      "failed": {"type": "integer", "minimum": 0}
     },
     "required": ["opened", "reused", "failed"]
    },
    "cache": {
     "type": "object",
     "properties": {
      "hits": {"type": "integer", "minimum": 0},
      "rate": {"type": "number", "minimum": 0}
     },
     "required": ["hits", "rate"]
    },
    "bytes": {
     "type": "object",
     "properties": {
      "sent": {"type": "integer", "minimum": 0},
      "received": {"type": "integer", "minimum": 0}
     },
     "required": ["sent", "received"]
    },
    "fail_if": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "condition": {"type": "string"},
       "value": {"type": "string"},
       "passed": {"type": "boolean"}
      },
      "required": ["condition", "value", "passed"]
     }
    },
    "timeline": {"type": "array", "items": {"$ref": "#/$defs/point"}},
    "seconds": {"type": "array", "items": {"$ref": "#/$defs/point"}},
    "snapshot": {
     "type": "object",
     "properties": {
      "unix_time": {"type": "number", "minimum": 0},
      "running": {"type": "boolean"}
     },
     "required": ["unix_time", "running"]
    }
   },
   "required": ["schema_version", "summary", "target", "verdict", "generator"]
  },
  "error": {
   "type": "object",
   "properties": {
    "schema_version": {"const": 1},
    "error": {
     "type": "object",
     "properties": {
      "code": {
       "enum": ["failed", "usage"]
      },
      "text": {"type": "string"}
     },
     "required": ["code", "text"]
    }
   },
   "required": ["schema_version", "error"]
  },
  "point": {
   "type": "object",
   "properties": {
    "at_s": {"type": "number", "minimum": 0},
    "requests_per_second": {"type": "number", "minimum": 0},
    "errors_per_second": {"type": "number", "minimum": 0},
    "p50_ms": {"type": "number", "minimum": 0},
    "p90_ms": {"type": "number", "minimum": 0},
    "p99_ms": {"type": "number", "minimum": 0}
   },
   "required": ["at_s", "requests_per_second", "errors_per_second", "p50_ms", "p90_ms", "p99_ms"]
  },
  "phase": {
   "type": "object",
   "properties": {
    "count": {"type": "integer", "minimum": 0},
    "median_ms": {"type": "number"},
    "p99_ms": {"type": "number"},
    "max_ms": {"type": "number"}
   },
   "required": ["count", "median_ms", "p99_ms", "max_ms"]
  }
 }
}
)schema";

}  // namespace

std::string_view run_schema() { return kSchema; }

}  // namespace thrum::report
